//! Reports the outcome of a run to the rates that its systems query. A [`Rate`](crate::Rate) counts the outcomes of its due times.

use core::any::TypeId;
use core::ops::Deref;
use core::time::Duration;

#[cfg(feature = "metrics")]
use super::RateCounts;
use super::RateReport;
use crate::base::identity::Name;
use crate::base::nanos::Nanos;
use crate::data::limits::{MeasuredRun, TimeLimits};
use crate::data::resource::{Resource, Resources, SlotHint};

/// A resource that gets a report at the end of each run about the systems that query it.
///
/// Not for implementation outside of this crate: `#[system(observer = …)]` refers to it.
pub trait RunObserver: Resource {
    #[doc(hidden)]
    fn run_ended(resources: &mut Resources, hint: &SlotHint, end: RunEnd, outcome: QueryOutcome);

    #[doc(hidden)]
    fn due_times(resources: &Resources, hint: &SlotHint) -> Option<DueTimes>;

    /// The clock may have been set back to this time, between two runs.
    #[doc(hidden)]
    fn clock_set(resources: &mut Resources, hint: &SlotHint, now: Duration);

    /// The systems ended at this time of the clock, and were executed for `busy`.
    #[doc(hidden)]
    fn note_times(
        resources: &mut Resources,
        end: Duration,
        busy: Duration,
    ) -> Option<(TimeLimits, MeasuredRun)>;

    #[doc(hidden)]
    fn report(resources: &Resources) -> Option<RateReport>;

    /// As in the report, which is large.
    #[cfg(feature = "metrics")]
    #[doc(hidden)]
    fn counts(resources: &Resources) -> Option<RateCounts>;
}

/// The due times of a rate.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct DueTimes {
    /// The first one without an outcome.
    pub(crate) next: Nanos,
    /// The time of the last run that evaluated the rate or found it paused.
    pub(crate) seen: Nanos,
    pub(crate) period: Nanos,
    /// Whether a guard was false in the last run, so that all due times moved.
    pub(crate) is_paused: bool,
    /// Whether the time of its systems is limited.
    pub(crate) has_limits: bool,
}

impl DueTimes {
    /// When a run should begin: at the next due time, but for a paused rate at least one period after the last run.
    pub(crate) fn next_run(&self) -> Nanos {
        if self.is_paused {
            self.first_after(self.seen)
        } else {
            self.next
        }
    }

    /// The first due time after a run that began at this time, of those that have no outcome.
    pub(crate) fn first_after(&self, time: Nanos) -> Nanos {
        if self.is_paused {
            // The run moved the due times to just after it, so each run would cause the next one.
            return self.next.max(time.plus(self.period));
        }
        if time < self.next {
            return self.next;
        }
        let n_periods = time.minus(self.next).whole(self.period).saturating_add(1);
        self.next.plus(self.period.times(n_periods))
    }
}

/// The resource that a system queries, and the functions that report runs to it. One address, because each node of a schedule has it.
#[derive(Clone, Copy, Debug)]
pub struct ObserverType(&'static ObserverFunctions);

#[doc(hidden)]
#[derive(Debug)]
pub struct ObserverFunctions {
    pub(crate) resource: TypeId,
    pub(crate) name: Name,
    pub(crate) run_ended: fn(&mut Resources, &SlotHint, RunEnd, QueryOutcome),
    pub(crate) due_times: fn(&Resources, &SlotHint) -> Option<DueTimes>,
    pub(crate) clock_set: fn(&mut Resources, &SlotHint, Duration),
    pub(crate) note_times:
        fn(&mut Resources, Duration, Duration) -> Option<(TimeLimits, MeasuredRun)>,
    pub(crate) report: fn(&Resources) -> Option<RateReport>,
    #[cfg(feature = "metrics")]
    pub(crate) counts: fn(&Resources) -> Option<RateCounts>,
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
                    clock_set: R::clock_set,
                    note_times: R::note_times,
                    report: R::report,
                    #[cfg(feature = "metrics")]
                    counts: R::counts,
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
    pub(crate) now: Nanos,
    /// Whether a driver has set the clock.
    pub(crate) is_driven: bool,
    /// Whether the run was refused because of a missing resource.
    pub(crate) is_refused: bool,
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
    /// A guard was false, another system failed, or the run was refused.
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
    /// Another system failed, or the run was refused.
    Skipped,
}
