//! Reports of drivers.

use core::fmt;

use super::DriverStats;
use crate::base::escape::shown;
use crate::run::report::SystemTimes;
use crate::systems::rate::RateReport;

/// The runs of a driver, and the times of its rates and systems. See [`Driver::report`](super::Driver::report).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DriverReport {
    /// The name of the schedule.
    pub schedule: String,
    /// The runs.
    pub stats: DriverStats,
    /// The rates of the schedule that are resources.
    pub rates: Vec<RateReport>,
    /// The systems with limits, in the order of a serial run.
    pub systems: Vec<SystemTimes>,
}

impl fmt::Display for DriverReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "driver of `{}`: {}", shown(&self.schedule), self.stats)?;
        for rate in &self.rates {
            let counts = &rate.counts;
            write!(
                f,
                "\n  `{}`, every {:?}: {} on time, {} late, {} skipped, {} disabled, {} failed\n    lateness: {}",
                shown(&rate.rate),
                rate.period,
                counts.on_time,
                counts.late,
                counts.skipped,
                counts.disabled,
                counts.failed,
                rate.lateness
            )?;
            if rate.limits.is_some() {
                write!(f, "\n    {}", rate.times)?;
            }
        }
        for system in &self.systems {
            write!(f, "\n  {system}")?;
        }
        Ok(())
    }
}
