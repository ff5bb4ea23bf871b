//! Statistics of a driver.

use core::fmt;
use core::time::Duration;

use crate::base::escape::shown;
use crate::base::histogram::Histogram;
use crate::base::identity::Name;
use crate::data::limits::LimitKind;
use crate::data::slow_systems::{Digits, SlowSystems};

/// The runs of a [`Driver`](super::Driver).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DriverStats {
    /// The number of runs.
    pub n_runs: u64,
    /// The number of runs that failed.
    pub n_failed: u64,
    /// The number of runs that ended after the next due time.
    pub n_overruns: u64,
    /// The longest time from the next due time to the end of a run.
    pub max_overrun: Duration,
    /// How often a system or a rate missed its deadline.
    pub n_deadline_missed: u64,
    /// How often a system or a rate exceeded its budget.
    pub n_over_budget: u64,
    /// The times from the due time of a run to its begin.
    pub lateness: Histogram,
    /// The times from the begin of a run to its end.
    pub run_time: Histogram,
}

impl DriverStats {
    pub(super) fn note_limit_miss(&mut self, kind: LimitKind) {
        match kind {
            LimitKind::Deadline => self.n_deadline_missed += 1,
            LimitKind::Budget => self.n_over_budget += 1,
        }
    }
}

impl fmt::Display for DriverStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            n_runs,
            n_failed,
            n_overruns,
            max_overrun,
            n_deadline_missed,
            n_over_budget,
            lateness,
            run_time,
        } = self;
        write!(
            f,
            "{n_runs} runs, {n_failed} failed, {n_overruns} overran by at most {max_overrun:.1?}, {n_deadline_missed} deadlines missed, {n_over_budget} times over budget\n  lateness: {lateness}\n  run time: {run_time}"
        )
    }
}

/// A run that ended after the next due time. All times are times of the clock.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overrun {
    /// The number of runs of the driver before this one.
    pub nth_run: u64,
    /// The rate that was due first, as a resource: `Rate<Control>`.
    pub rate: Name,
    /// The begin of the run.
    pub begin: Duration,
    /// The end of the run.
    pub end: Duration,
    /// The first due time after the begin.
    pub next_due: Duration,
    /// The systems that explain it, if systems were measured.
    pub slow: SlowSystems,
}

impl Overrun {
    /// The time from the next due time to the end of the run.
    pub fn by(&self) -> Duration {
        self.end.saturating_sub(self.next_due)
    }
}

impl fmt::Display for Overrun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (of, by) = (self.end.saturating_sub(self.begin), self.by());
        write!(
            f,
            "run {} took {} and ended {by:.1?} after the next due time of `{}`",
            self.nth_run,
            Digits { of, by },
            shown(&self.rate)
        )?;
        self.slow.write(f, None)
    }
}
