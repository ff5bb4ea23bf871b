//! Errors of drivers.

use core::fmt;

use crate::base::escape::shown;
use crate::base::identity::Name;
use crate::declare::failure::RunError;

/// The reason why a [`Driver`](super::Driver) ended, other than its token.
#[non_exhaustive]
pub enum DriverError {
    /// The schedule evaluates no rate, so it is never due.
    NoRates {
        /// The name of the schedule.
        schedule: String,
    },
    /// None of the rates of the schedule is among the resources.
    MissingRates {
        /// The name of the schedule.
        schedule: String,
        /// The names of its rates.
        rates: Vec<Name>,
    },
    /// There is no [`Clock`](crate::Clock) among the resources.
    MissingClock,
    /// The timer cannot wait: see [`Timer::can_wait`](super::Timer::can_wait).
    CannotWait,
    /// A run failed.
    Run(RunError),
}

impl std::error::Error for DriverError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            DriverError::Run(error) => error.source(),
            _ => None,
        }
    }
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DriverError::NoRates { schedule } => write!(
                f,
                "schedule `{}` has no rate, so a driver cannot run it\n  help: add `run_if(Condition::of::<is_due<…>>())` to a system or group",
                shown(schedule)
            ),
            DriverError::MissingRates { schedule, rates } => {
                write!(f, "no rate of schedule `{}` is a resource: ", shown(schedule))?;
                for (i, rate) in rates.iter().enumerate() {
                    write!(f, "{}`{}`", if i == 0 { "" } else { ", " }, shown(rate))?;
                }
                f.write_str("\n  help: insert them before the run")
            }
            DriverError::MissingClock => {
                f.write_str("`Clock` is missing\n  help: insert it before the run: `resources.insert(Clock::new())`")
            }
            DriverError::CannotWait => f.write_str(
                "the timer of the driver cannot wait; `RealTimer` cannot on a target without threads\n  help: call `run_if_due` from an event loop, or use another timer",
            ),
            DriverError::Run(error) => error.fmt(f),
        }
    }
}

/// Prints the same as `Display`, because `main` prints a returned error with `Debug`.
impl fmt::Debug for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
