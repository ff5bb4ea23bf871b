//! Limits of the time that systems take, and the measured times.

use core::fmt;
use core::time::Duration;
use std::sync::Arc;

use crate::base::escape::shown;
use crate::base::histogram::Histogram;
use crate::base::identity::Name;
use crate::base::place::SystemPlace;
use crate::data::slow_systems::{Digits, SlowSystems};

/// The time that systems may take. A [`Driver`](crate::Driver) measures it and reports what exceeds it. Nothing is stopped.
///
/// Set the limits of a rate by [`Rate::deadline`](crate::Rate::deadline) and [`Rate::budget`](crate::Rate::budget), and those of a
/// system or a loop by [`Schedule::set_limits`](crate::Schedule::set_limits).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    any(feature = "serde", feature = "snapshot"),
    derive(serde::Serialize, serde::Deserialize)
)]
#[non_exhaustive]
pub struct TimeLimits {
    /// The longest time from the due time to the end.
    pub deadline: Option<Duration>,
    /// The longest time of execution in a run.
    pub budget: Option<Duration>,
}

impl TimeLimits {
    /// No limits.
    pub const fn new() -> Self {
        Self {
            deadline: None,
            budget: None,
        }
    }

    /// Limits the time from the due time to the end.
    pub const fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Limits the time of execution in a run.
    pub const fn budget(mut self, budget: Duration) -> Self {
        self.budget = Some(budget);
        self
    }

    pub(crate) fn is_some(&self) -> bool {
        self.deadline.is_some() || self.budget.is_some()
    }

    /// The limits, each with the measured time of a run.
    pub(crate) fn compared(
        &self,
        run: &MeasuredRun,
    ) -> impl Iterator<Item = (LimitKind, Duration, Duration)> + use<> {
        let deadline = self
            .deadline
            .map(|limit| (LimitKind::Deadline, limit, run.response));
        let budget = self
            .budget
            .map(|limit| (LimitKind::Budget, limit, run.busy));
        deadline.into_iter().chain(budget)
    }

    /// The limits that a run exceeds, each with the measured time.
    pub(crate) fn exceeded(
        &self,
        run: &MeasuredRun,
    ) -> impl Iterator<Item = (LimitKind, Duration, Duration)> + use<> {
        self.compared(run).filter(|(_, limit, took)| took > limit)
    }
}

/// The measured time of systems in a run.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct MeasuredRun {
    /// The due time, as a time of the clock.
    pub(crate) due: Duration,
    /// The time from the due time to the end.
    pub(crate) response: Duration,
    /// The time of execution.
    pub(crate) busy: Duration,
}

/// Measured times of a system, or of the systems of a rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    any(feature = "serde", feature = "snapshot"),
    derive(serde::Serialize, serde::Deserialize)
)]
#[non_exhaustive]
pub struct RunTimes {
    /// The times from the due time to the end.
    pub response: Histogram,
    /// The times of execution in a run. For several systems, the sum.
    pub busy: Histogram,
    /// The number of runs that ended after the deadline.
    pub n_deadline_missed: u64,
    /// The number of runs that took more than the budget.
    pub n_over_budget: u64,
}

impl RunTimes {
    /// Without runs.
    pub(crate) const NEW: Self = Self {
        response: Histogram::NEW,
        busy: Histogram::NEW,
        n_deadline_missed: 0,
        n_over_budget: 0,
    };

    pub(crate) fn note(&mut self, limits: &TimeLimits, run: &MeasuredRun) {
        self.response.add(run.response);
        self.busy.add(run.busy);
        for (kind, ..) in limits.exceeded(run) {
            let n = match kind {
                LimitKind::Deadline => &mut self.n_deadline_missed,
                LimitKind::Budget => &mut self.n_over_budget,
            };
            *n = n.saturating_add(1);
        }
    }
}

impl fmt::Display for RunTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            response,
            busy,
            n_deadline_missed,
            n_over_budget,
        } = self;
        write!(
            f,
            "{n_deadline_missed} deadlines missed, {n_over_budget} times over budget; from due to end: {response}; execution: {busy}"
        )
    }
}

/// One of the [`TimeLimits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum LimitKind {
    /// The time from the due time to the end.
    Deadline,
    /// The time of execution in a run.
    Budget,
}

/// A system, a loop, or the systems of a rate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitedPart {
    /// The systems of this rate, which is named as a resource: `Rate<Control>`.
    EntireRate(Name),
    /// A system or a loop.
    SingleSystem(Arc<SystemPlace>),
}

impl fmt::Display for LimitedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LimitedPart::EntireRate(rate) => write!(f, "`{}`", shown(rate)),
            LimitedPart::SingleSystem(system) => system.fmt(f),
        }
    }
}

/// A run in which systems took more time than their [`TimeLimits`] allow.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimitMiss {
    /// The number of runs of the driver before this one.
    pub nth_run: u64,
    /// The system, or the rate of the systems.
    pub of: LimitedPart,
    /// The limit that was exceeded.
    pub kind: LimitKind,
    /// Its duration.
    pub limit: Duration,
    /// The measured duration.
    pub took: Duration,
    /// The time from the due time to the begin of the run.
    pub began_late: Duration,
    /// The time of execution in the run. For several systems, the sum.
    pub busy: Duration,
    /// The systems that explain the miss. For a budget, those that it limits. For a deadline, all measured systems that had ended by then.
    pub slow: SlowSystems,
}

impl LimitMiss {
    /// The time by which the limit was exceeded.
    pub fn by(&self) -> Duration {
        self.took.saturating_sub(self.limit)
    }
}

impl fmt::Display for LimitMiss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            nth_run,
            of: part,
            kind,
            limit,
            took,
            began_late,
            busy,
            slow,
        } = self;
        let by = self.by();
        let digits = |&of: &Duration| Digits { of, by };
        let (took, limit) = (digits(took), digits(limit));
        match kind {
            LimitKind::Deadline => {
                write!(
                    f,
                    "{part} missed its deadline by {by:.1?} in run {nth_run}: it ended {took} after its due time, the deadline is {limit}"
                )?;
                if !began_late.is_zero() {
                    write!(f, "; the run began {} late", digits(began_late))?;
                }
                let systems = match part {
                    LimitedPart::EntireRate(_) => "its systems",
                    LimitedPart::SingleSystem(_) => "it",
                };
                write!(f, "; {systems} took {}", digits(busy))?;
            }
            LimitKind::Budget => write!(
                f,
                "{part} exceeded its budget by {by:.1?} in run {nth_run}: it took {took}, the budget is {limit}"
            )?,
        }
        let system = match part {
            LimitedPart::EntireRate(_) => None,
            LimitedPart::SingleSystem(system) => Some(system),
        };
        slow.write(f, system)
    }
}
