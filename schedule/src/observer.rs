//! Reports the outcome of a run to resources. For example, a [`Rate`](crate::Rate) counts the outcomes of its due
//! times.

use core::any::TypeId;
use core::ops::Deref;
use core::time::Duration;

use crate::identity::Name;
use crate::limits::{Limits, MeasuredRun};
use crate::rate::RateReport;
use crate::resource::{Resource, Resources};

/// A resource that gets a report at the end of each run about the systems that query it.
///
/// Not for implementation outside of this crate: `#[system(observer = …)]` refers to it.
pub trait RunObserver: Resource {
    #[doc(hidden)]
    fn run_ended(resources: &mut Resources, end: RunEnd, outcome: QueryOutcome);

    #[doc(hidden)]
    fn due_times(resources: &Resources) -> Option<DueTimes>;

    /// The systems ended at this time of the clock, and were executed for `busy`.
    #[doc(hidden)]
    fn note_times(
        resources: &mut Resources,
        end: Duration,
        busy: Duration,
    ) -> Option<(Limits, MeasuredRun)>;

    #[doc(hidden)]
    fn report(resources: &Resources) -> Option<RateReport>;
}

/// The due times of a rate.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct DueTimes {
    /// The first one without an outcome.
    pub(crate) next: Duration,
    /// The time of the last run that evaluated the rate or found it paused.
    pub(crate) seen: Duration,
    pub(crate) period: Duration,
    /// Whether a guard was false in the last run, so that all due times moved.
    pub(crate) is_paused: bool,
    /// Whether the time of its systems is limited.
    pub(crate) has_limits: bool,
}

impl DueTimes {
    /// When a run should begin: at the next due time, but for a paused rate at least one period after the last run.
    pub(crate) fn next_run(&self) -> Duration {
        match self.is_paused {
            true => self.first_after(self.seen),
            false => self.next,
        }
    }

    /// The first due time after a run that began at this time, of those that have no outcome.
    pub(crate) fn first_after(&self, time: Duration) -> Duration {
        if self.is_paused {
            // The run moved the due times to just after it, so each run would cause the next one.
            return self.next.max(time.saturating_add(self.period));
        }
        let Some(passed) = time.checked_sub(self.next) else {
            return self.next;
        };
        let n_periods = whole_periods(passed, self.period).saturating_add(1);
        self.next.saturating_add(times(self.period, n_periods))
    }
}

/// The number of whole periods in a time.
///
/// Usually none has passed, or the numbers fit 64 bits. Division of 128 bits takes 10 times as long.
#[inline]
pub(crate) fn whole_periods(time: Duration, period: Duration) -> u64 {
    if time < period {
        return 0;
    }
    let (time, period) = (time.as_nanos(), period.as_nanos());
    match (u64::try_from(time), u64::try_from(period)) {
        (Ok(time), Ok(period)) => time / period,
        _ => u64::try_from(time / period).unwrap_or(u64::MAX),
    }
}

/// The duration of a number of periods.
#[inline]
pub(crate) fn times(period: Duration, n: u64) -> Duration {
    match u32::try_from(n) {
        Ok(n) => period.saturating_mul(n),
        Err(_) => times_many(period, n),
    }
}

#[cold]
fn times_many(period: Duration, n: u64) -> Duration {
    let nanos = period.as_nanos().saturating_mul(n.into());
    let (seconds, nanos) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
    u64::try_from(seconds).map_or(Duration::MAX, |seconds| {
        Duration::new(seconds, nanos as u32)
    })
}

/// The resource that a system queries, and the functions that report runs to it. One address, because each node of a schedule has it.
#[derive(Clone, Copy, Debug)]
pub struct ObserverType(&'static ObserverFunctions);

#[doc(hidden)]
#[derive(Debug)]
pub struct ObserverFunctions {
    pub(crate) resource: TypeId,
    pub(crate) name: Name,
    pub(crate) run_ended: fn(&mut Resources, RunEnd, QueryOutcome),
    pub(crate) due_times: fn(&Resources) -> Option<DueTimes>,
    pub(crate) note_times: fn(&mut Resources, Duration, Duration) -> Option<(Limits, MeasuredRun)>,
    pub(crate) report: fn(&Resources) -> Option<RateReport>,
}

impl ObserverType {
    /// Creates it for the resource `R`.
    pub const fn of<R: RunObserver>() -> Self {
        Self(
            const {
                &ObserverFunctions {
                    resource: TypeId::of::<R>(),
                    name: R::NAME,
                    run_ended: R::run_ended,
                    due_times: R::due_times,
                    note_times: R::note_times,
                    report: R::report,
                }
            },
        )
    }
}

impl Deref for ObserverType {
    type Target = ObserverFunctions;

    fn deref(&self) -> &ObserverFunctions {
        self.0
    }
}

/// The end of a run.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct RunEnd {
    /// The time of the clock.
    pub(crate) now: Duration,
    /// Whether a driver has set the clock.
    pub(crate) is_driven: bool,
}

/// The outcome of the systems that query a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryOutcome {
    /// If the resource was queried in this run: the outcome of the systems that its answer guards.
    pub(crate) work: SystemWork,
    /// If it was not queried: the reason.
    pub(crate) not_queried: NotQueried,
}

/// The outcome of systems. For several systems, the maximum counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SystemWork {
    Disabled,
    /// A guard was false, or another system failed.
    Skipped,
    Ran,
    Failed,
}

/// The reason why a node did not query its resource. For several nodes, the maximum counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NotQueried {
    /// A loop around the node did not run its body.
    Unreached,
    /// A guard was false: that of the node, of its group, or of a loop around it.
    Paused,
    Disabled,
    /// Another system failed.
    Skipped,
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn periods_are_counted_and_added_without_overflow() {
        let ns = Duration::from_nanos;
        let year = Duration::from_secs(366 * 24 * 60 * 60);
        let durations = [
            ns(1),
            ns(3),
            ns(1_000_000_007),
            year,
            900 * year,
            Duration::MAX,
        ];
        for period in durations {
            for time in durations.into_iter().chain([Duration::ZERO]) {
                let n = time.as_nanos() / period.as_nanos();
                let n = u64::try_from(n).unwrap_or(u64::MAX);
                assert_eq!(whole_periods(time, period), n, "{time:?} / {period:?}");
            }
            for n in [0, 1, 2, 1 << 31, u64::from(u32::MAX), 1 << 32, u64::MAX] {
                assert_eq!(times(period, n), times_many(period, n), "{n} × {period:?}");
            }
        }
    }
}
