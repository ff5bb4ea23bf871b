//! The systems that explain why a limit was exceeded.

use core::fmt;
use core::time::Duration;
use std::sync::Arc;

use crate::base::escape::shown;
use crate::base::place::SystemPlace;

/// A system or a loop condition whose executions were measured in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SlowSystem {
    /// The system.
    pub system: Arc<SystemPlace>,
    /// The sum of the times of its executions in the run.
    pub took: Duration,
    /// The average of these sums in the earlier runs that executed it, since the driver measures it. `None` if there are none.
    pub usual: Option<Duration>,
    /// Whether the time is that of a sweep, which contains other systems.
    pub is_of_sweep: bool,
}

impl SlowSystem {
    /// The time above the average of the earlier runs. 0 if there are none.
    pub fn above_usual(&self) -> Duration {
        let usual = self.usual.unwrap_or(self.took);
        self.took.saturating_sub(usual)
    }
}

/// The systems that explain a [`LimitMiss`](super::limits::LimitMiss) or an [`Overrun`](crate::driver::Overrun).
///
/// A driver knows the times of the systems that it measures: those with limits, and those of rates with limits. See
/// [`Driver::measure_all_systems`](crate::Driver::measure_all_systems).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SlowSystems {
    /// The system that took the longest time. `None` if no measured system was executed.
    pub longest: Option<SlowSystem>,
    /// The system that took the longest time above its average, if this is at least half of the time by which the limit was exceeded.
    pub unusual: Option<SlowSystem>,
    /// Whether systems that were not measured could have taken longer.
    pub is_partial: bool,
}

impl SlowSystems {
    /// Chooses from these systems. Of those with equal times, it takes the first one. `by`: the time by which a limit was exceeded.
    pub(crate) fn of(
        systems: impl Iterator<Item = SlowSystem>,
        by: Duration,
        is_partial: bool,
    ) -> Self {
        let (mut longest, mut unusual) = (None::<SlowSystem>, None::<SlowSystem>);
        for system in systems {
            let above = system.above_usual();
            let explains = above >= by / 2 && !above.is_zero();
            if explains && unusual.as_ref().is_none_or(|u| above > u.above_usual()) {
                unusual = Some(system.clone());
            }
            if longest.as_ref().is_none_or(|l| system.took > l.took) {
                longest = Some(system);
            }
        }
        Self {
            longest,
            unusual,
            is_partial,
        }
    }

    /// Writes them as the end of a sentence that is about `of`, if it is about a system.
    pub(crate) fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        of: Option<&Arc<SystemPlace>>,
    ) -> fmt::Result {
        let is_of = |slow: &SlowSystem| of.is_some_and(|of| Arc::ptr_eq(of, &slow.system));
        let longest = self.longest.as_ref().filter(|longest| !is_of(longest));
        if let Some(slow) = longest {
            let measured = if self.is_partial {
                " of the measured systems"
            } else {
                ""
            };
            let SlowSystem { took, .. } = slow;
            write!(
                f,
                "; {} took longest{measured}: {took:.1?}",
                NamedSlow(slow)
            )?;
        }
        let Some(slow) = &self.unusual else {
            return Ok(());
        };
        let (above, took) = (slow.above_usual(), slow.took);
        if longest.is_some_and(|longest| Arc::ptr_eq(&longest.system, &slow.system)) {
            write!(f, ", {above:.1?} more than on average")
        } else if is_of(slow) {
            write!(f, "; this is {above:.1?} more than on average")
        } else {
            let of = NamedSlow(slow);
            write!(
                f,
                "; {of} took {above:.1?} more than on average: {took:.1?}"
            )
        }
    }
}

/// The name of a system, or of its sweep.
struct NamedSlow<'a>(&'a SlowSystem);

impl fmt::Display for NamedSlow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = if self.0.is_of_sweep {
            "the sweep of "
        } else {
            ""
        };
        write!(f, "{of}`{}`", shown(&self.0.system.name))
    }
}

/// A duration as text. It has enough digits to show a difference of `by`.
pub(crate) struct Digits {
    pub(crate) of: Duration,
    pub(crate) by: Duration,
}

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { of, by } = self;
        // The units of `Debug` of a duration, in nanoseconds.
        let units = [1_000_000_000_u128, 1_000_000, 1_000, 1];
        let unit = units.into_iter().find(|&unit| of.as_nanos() >= unit);
        let (mut last_digit, mut n_digits) = (unit.unwrap_or(1) / 10, 1);
        while last_digit > 1 && last_digit * 10 > by.as_nanos() {
            last_digit /= 10;
            n_digits += 1;
        }
        write!(f, "{of:.n_digits$?}")
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn digits_show_the_difference() {
        let ns = Duration::from_nanos;
        for (of, by, text) in [
            (1_030_000, 30_000, "1.030ms"),
            (1_000_000, 30_000, "1.000ms"),
            (6_000_000, 1_000_000, "6.0ms"),
            (1_000_000_007, 7, "1.000000007s"),
            (1_000_000_000, 999_999_999, "1.00s"),
            (999_990, 40, "999.990µs"),
            (999_990, 30_000, "1000.0µs"),
            (1_000, 1, "1.000µs"),
            (999, 1, "999.0ns"),
            (0, 5, "0.0ns"),
            (60_000_000_000, 60_000_000_000, "60.0s"),
        ] {
            let (of, by) = (ns(of), ns(by));
            assert_eq!(Digits { of, by }.to_string(), text);
        }
        for by in [1, 9, 10, 99, 12_345, 999_999, 1_000_000, 2_000_000_000] {
            for of in [
                0,
                1,
                999,
                1_000,
                999_999,
                1_000_000,
                999_999_999,
                1_000_000_000,
            ] {
                let digits = |of| Digits { of, by: ns(by) }.to_string();
                assert_ne!(digits(ns(of)), digits(ns(of + by)), "{of} and {by}");
            }
        }
    }
}
