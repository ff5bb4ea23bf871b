//! Deadlines and budgets that applied to a recorded run.

use core::fmt;
use core::time::Duration;

use super::Timeline;
use super::waits::{RankedExecution, bits_of};
use crate::base::document::{DataError, check_index};
use crate::data::limits::{LimitKind, LimitedPart, MeasuredRun, TimeLimits};
use crate::run::nodes::Nodes;
use crate::run::observers::Observers;
use crate::verify::plan::Plan;

/// A deadline or a budget, and the time that a run took.
///
/// A [`Driver`](crate::Driver) measures it: see [`Driver::record`](crate::Driver::record). Timelines contain only limits of systems
/// that ran. A rate also must have been due.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct AppliedLimit {
    /// The name of the system or of the loop. A rate is named as a resource: `Rate<Control>`.
    pub of: String,
    /// Whether this is a deadline or a budget.
    pub kind: LimitKind,
    /// The longest time that is allowed: from the due time to the end, or of execution.
    pub limit: Duration,
    /// The measured time, by the timer of the driver. The limit was missed if it is longer than [`limit`](Self::limit).
    pub took: Duration,
    /// For a rate, its due time. For a system or a loop, the earliest due time of all rates that were due in the run.
    pub due: RelativeTime,
    /// The indices of the executions that the limit applies to, in [`Timeline::executions`]. Ascending.
    pub executions: Vec<usize>,
}

impl AppliedLimit {
    /// Whether the measured time is longer than the limit.
    pub fn is_missed(&self) -> bool {
        self.took > self.limit
    }

    /// The time by which the limit was exceeded. `None` if it was met.
    pub fn exceeded_by(&self) -> Option<Duration> {
        self.is_missed().then(|| self.took - self.limit)
    }

    /// When the last execution had to end. `None` for a budget.
    pub fn deadline(&self) -> Option<RelativeTime> {
        (self.kind == LimitKind::Deadline).then(|| self.due.later_by(self.limit))
    }

    fn check(&self, idx: usize, n_executions: usize) -> Result<(), DataError> {
        let name = format_args!("limit {idx}");
        let (RelativeTime::Before(due) | RelativeTime::After(due)) = self.due;
        if [self.limit, self.took, due].iter().any(is_too_long) {
            return Err(DataError(format!(
                "the times of {name} do not fit in 64 bits of nanoseconds"
            )));
        }
        for &execution in &self.executions {
            check_index(execution, n_executions, "execution", name)?;
        }
        if self.executions.is_sorted_by(|one, other| one < other) {
            Ok(())
        } else {
            Err(DataError(format!(
                "the executions of {name} are not ascending"
            )))
        }
    }
}

/// A time relative to the begin of a run. A due time is usually before the begin, or equal to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RelativeTime {
    /// This long before the begin.
    Before(Duration),
    /// This long after the begin. 0 is the begin.
    After(Duration),
}

impl RelativeTime {
    /// The time `at`, in a run that began at `begin`.
    pub(crate) fn new(at: Duration, begin: Duration) -> Self {
        match at.checked_sub(begin) {
            Some(after) => RelativeTime::After(after),
            None => RelativeTime::Before(begin - at),
        }
    }

    /// Returns the time that is later by this duration.
    ///
    /// ```
    /// use core::time::Duration;
    /// use schedule::timeline::RelativeTime;
    ///
    /// let ms = Duration::from_millis;
    /// let due = RelativeTime::Before(ms(2));
    /// assert_eq!(due.later_by(ms(1)), RelativeTime::Before(ms(1)));
    /// assert_eq!(due.later_by(ms(5)), RelativeTime::After(ms(3)));
    /// assert_eq!(due.to_string(), "2.0ms before the begin");
    /// ```
    pub fn later_by(self, by: Duration) -> Self {
        match self {
            RelativeTime::Before(before) => Self::new(by, before),
            RelativeTime::After(after) => RelativeTime::After(after.saturating_add(by)),
        }
    }

    /// The time from the begin, or 0 if it is before.
    pub fn since_begin(self) -> Duration {
        match self {
            RelativeTime::Before(_) => Duration::ZERO,
            RelativeTime::After(after) => after,
        }
    }

    /// The time to the begin, or 0 if it is after.
    pub(crate) fn until_begin(self) -> Duration {
        match self {
            RelativeTime::Before(before) => before,
            RelativeTime::After(_) => Duration::ZERO,
        }
    }
}

impl fmt::Display for RelativeTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RelativeTime::Before(time) => write!(f, "{time:.1?} before the begin"),
            RelativeTime::After(time) => write!(f, "{time:.1?} after the begin"),
        }
    }
}

pub(super) fn is_too_long(time: &Duration) -> bool {
    u64::try_from(time.as_nanos()).is_err()
}

impl Timeline {
    /// Returns the limits that this execution exceeded, alone or together with others. See [`misses`](Self::misses), which is faster for
    /// several executions.
    ///
    /// # Panics
    ///
    /// Panics if `execution` is not an index of [`Timeline::executions`].
    pub fn misses_of(&self, execution: usize) -> impl Iterator<Item = &AppliedLimit> {
        self.misses().of(execution).map(|(limit, _)| limit)
    }

    /// Returns the executions that exceeded limits, for lookups. Cost: O(executions × limits).
    ///
    /// A missed budget counts for all executions that it applies to. A missed deadline counts for executions that ended after it, and
    /// for the last one.
    pub fn misses(&self) -> Misses<'_> {
        let missed = self.limits.iter().filter_map(|limit| {
            let executions = limit.executions.iter();
            let ends = executions.filter_map(|&idx| Some(self.executions.get(idx)?.end));
            Some(MissedLimit {
                limit,
                by: limit.exceeded_by()?,
                last_end: ends.max().unwrap_or_default(),
            })
        });
        Misses {
            timeline: self,
            missed: missed.collect(),
        }
    }

    pub(super) fn check_limits(&self) -> Result<(), DataError> {
        let mut limits = self.limits.iter().enumerate();
        limits.try_for_each(|(idx, limit)| limit.check(idx, self.executions.len()))
    }
}

/// The limits that were missed in a run, by execution. See [`Timeline::misses`].
#[derive(Clone, Debug)]
pub struct Misses<'t> {
    timeline: &'t Timeline,
    missed: Vec<MissedLimit<'t>>,
}

#[derive(Clone, Copy, Debug)]
struct MissedLimit<'t> {
    limit: &'t AppliedLimit,
    /// The time by which it was exceeded.
    by: Duration,
    /// The end of the last execution that it applies to.
    last_end: Duration,
}

impl<'t> Misses<'t> {
    /// Returns the limits that this execution exceeded, each with a time: for a deadline, the time from the deadline to the end of the
    /// execution; for a budget, the time by which all executions together exceeded it. O(limits × log(executions)).
    ///
    /// # Panics
    ///
    /// Panics if `execution` is not an index of [`Timeline::executions`].
    pub fn of(
        &self,
        execution: usize,
    ) -> impl Iterator<Item = (&'t AppliedLimit, Duration)> + use<'t> {
        let end = self.timeline.executions[execution].end;
        let missed = self.missed.clone().into_iter();
        let missed =
            missed.filter(move |one| one.limit.executions.binary_search(&execution).is_ok());
        missed.filter_map(move |one| Some((one.limit, one.by_at(end)?)))
    }
}

impl MissedLimit<'_> {
    /// The time by which an execution with this end exceeded the limit.
    fn by_at(self, end: Duration) -> Option<Duration> {
        let by = match self.limit.deadline() {
            // The limit was measured in the execution, so the recorded end is a little later or earlier.
            Some(_) if end == self.last_end => return Some(self.by),
            None => return Some(self.by),
            Some(RelativeTime::Before(before)) => end.saturating_add(before),
            Some(RelativeTime::After(after)) => end.saturating_sub(after),
        };
        (by > Duration::ZERO).then(|| by.min(self.by))
    }
}

/// The limits that a driver has measured in a run.
#[derive(Clone, Copy)]
pub(crate) struct MeasuredLimits<'s> {
    pub(crate) all: &'s [MeasuredLimit],
    /// The begin of the run, as a time of the clock.
    pub(crate) begin: Duration,
    pub(crate) observers: &'s Observers,
}

/// The limits of a part of a schedule, and its time in a run.
pub(crate) struct MeasuredLimit {
    pub(crate) of: LimitedRanks,
    pub(crate) part: LimitedPart,
    pub(crate) limits: TimeLimits,
    pub(crate) run: MeasuredRun,
}

/// The nodes that have limits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LimitedRanks {
    /// The systems of the rate with this number.
    OfRate(usize),
    /// The system or the loop with this rank.
    OfSystem(u32),
}

impl MeasuredLimits<'_> {
    pub(super) fn is_any_missed(&self) -> bool {
        let mut all = self.all.iter();
        all.any(|one| one.limits.exceeded(&one.run).next().is_some())
    }

    /// Returns the limits with their executions. O(limits × executions).
    pub(super) fn applied(
        &self,
        nodes: &Nodes,
        plan: &Plan,
        executions: &[RankedExecution],
    ) -> Vec<AppliedLimit> {
        let mut applied = Vec::new();
        for one in self.all {
            let mut is_limited = vec![false; nodes.by_rank.len()];
            match one.of {
                LimitedRanks::OfRate(nth) => {
                    let systems = self.observers.systems_of(nth);
                    systems.for_each(|rank| is_limited[rank as usize] = true);
                }
                LimitedRanks::OfSystem(rank) => {
                    for rank in nodes.ranks_in(rank) {
                        // Sync points are not measured.
                        is_limited[rank] = nodes.by_rank[rank].has_runnable();
                    }
                }
            }
            let with_limits = executions
                .iter()
                .enumerate()
                .filter(|(_, execution)| {
                    members(plan, execution).any(|rank| is_limited[rank as usize])
                })
                .map(|(idx, _)| idx);
            let with_limits: Vec<usize> = with_limits.collect();
            let limits = one.limits.compared(&one.run);
            applied.extend(limits.map(|(kind, limit, took)| AppliedLimit {
                of: match &one.part {
                    LimitedPart::EntireRate(rate) => rate.to_string(),
                    LimitedPart::SingleSystem(system) => system.name.clone(),
                },
                kind,
                limit,
                took,
                due: RelativeTime::new(one.run.due, self.begin),
                executions: with_limits.clone(),
            }));
        }
        applied
    }
}

/// The ranks of the systems that an execution ran: one, or the members of a sweep.
fn members(plan: &Plan, execution: &RankedExecution) -> impl Iterator<Item = u32> {
    let group = match execution.interval.members {
        0 => None,
        _ => plan.sweeps.of(execution.rank),
    };
    let group = group.map_or(&[][..], |sweep| sweep.together_with(execution.rank));
    let others = bits_of(execution.interval.members).filter_map(|nth| group.get(nth).copied());
    core::iter::once(execution.rank).chain(others)
}
