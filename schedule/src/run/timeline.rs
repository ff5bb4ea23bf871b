//! Timelines: when and on which thread each system ran, in a recorded or simulated run.

mod limits;
mod trace;
mod waits;

use core::fmt;
use core::time::Duration;

use self::limits::is_too_long;
pub use self::limits::{AppliedLimit, Misses, RelativeTime};
pub(crate) use self::limits::{LimitedRanks, MeasuredLimit, MeasuredLimits};
pub(crate) use self::waits::{ExecutionInterval, ExecutionIntervals};
use self::waits::{RankedExecution, find_waits};
use crate::base::document::{DataError, Version, check_index};
use crate::base::thread::thread_number;
use crate::base::time::Instant;
use crate::data::record::{RecordEntry, RunNumber};
use crate::run::nodes::Nodes;
use crate::verify::plan::Plan;

/// The executions of a run. See [`Recording::timeline`].
///
/// Each execution of a system, of a loop condition, or of a sync point has an entry. Skipped nodes have none. A sweep,
/// or a per-entity system, has one entry for each worker that took part.
/// No two entries of one worker overlap. No execution starts before the end of the one that it waited for.
///
/// With the feature `serde`, a timeline can be serialized. In JSON, fields have the names that they have here, and a
/// duration is `{"secs": 0, "nanos": 2500}`. [`check`](Self::check) detects inconsistent data.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Timeline {
    /// The version of this data format.
    pub version: Version<3>,
    /// The name of the schedule.
    pub schedule: String,
    /// The number of threads that took part, or that a simulation had. It can include every thread of a pool, even if
    /// they did not all help at the same time.
    pub n_workers: usize,
    /// The time from the begin of the run to its end. Commands that are applied at the end of the run come after the
    /// last execution.
    pub makespan: Duration,
    /// The executions, sorted by start and then by worker.
    pub executions: Vec<Execution>,
    /// The deadlines and budgets of the systems that ran: first those of systems and loops, in the order of a serial run, then those of
    /// rates. Empty unless a [`Driver`](crate::Driver) ran the schedule.
    pub limits: Vec<AppliedLimit>,
}

/// An execution of a system, of a loop condition, or of a sync point.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Execution {
    /// The name of the system, or of the first member of a sweep.
    pub system: String,
    /// The names of the other members of the sweep, which ran on the same chunks of entities, at most 63. Empty for a system
    /// that ran alone.
    pub with: Vec<String>,
    /// The worker. 0 is the thread that calls `run`. The others are numbered in the order in which they started to
    /// work.
    pub worker: usize,
    /// The time at which the worker took the system, from the begin of the run.
    pub start: Duration,
    /// The time at which the worker was done with the system. In a simulation, this includes the overhead of the
    /// execution.
    pub end: Duration,
    /// The index in the same list of the execution that ended last, of all executions that had to come before this one.
    /// `None` if there was none.
    pub waited_for: Option<usize>,
}

impl Execution {
    /// Returns the names of the systems that ran: one, or the members of a sweep.
    pub fn systems(&self) -> impl Iterator<Item = &str> {
        core::iter::once(&self.system)
            .chain(&self.with)
            .map(String::as_str)
    }
}

impl Timeline {
    /// Returns how long a worker was busy.
    pub fn busy(&self, worker: usize) -> Duration {
        let of_worker = self
            .executions
            .iter()
            .filter(|execution| execution.worker == worker);
        of_worker
            .map(|execution| execution.end.saturating_sub(execution.start))
            .sum()
    }

    /// Returns the executions of a system in order, including those in which it ran as a member of a sweep.
    pub fn executions_of<'t>(
        &'t self,
        system: impl AsRef<str> + 't,
    ) -> impl Iterator<Item = &'t Execution> {
        self.executions
            .iter()
            .filter(move |execution| execution.systems().any(|one| one == system.as_ref()))
    }

    /// Checks that the timeline is possible. Each execution is on one of its workers, starts no earlier than the
    /// previous one in the list, does not end before its start, and waited for an execution of the list. Each limit applies to
    /// executions of the list. No duration is longer than 584 years. O(executions).
    ///
    /// # Errors
    ///
    /// Fails if the timeline is inconsistent. Only a timeline that was deserialized or modified can be inconsistent.
    ///
    /// ```
    /// use schedule::prelude::*;
    ///
    /// #[system]
    /// fn step() {}
    ///
    /// let mut frame = Schedule::builder().add::<step>().build()?;
    /// let mut timeline = frame.record(&mut Resources::new()).1.timeline();
    /// timeline.check()?;
    /// timeline.executions[0].worker = 7;
    /// let error = timeline.check().unwrap_err();
    /// assert_eq!(error.to_string(), "execution 0 refers to worker 7, but there are 1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check(&self) -> Result<(), DataError> {
        let mut latest = Duration::ZERO;
        if is_too_long(&self.makespan) {
            return Err(DataError(
                "`makespan` does not fit in 64 bits of nanoseconds".to_string(),
            ));
        }
        for (idx, execution) in self.executions.iter().enumerate() {
            let name = format_args!("execution {idx}");
            check_index(execution.worker, self.n_workers, "worker", name)?;
            if let Some(before) = execution.waited_for {
                check_index(before, self.executions.len(), "execution", name)?;
            }
            if is_too_long(&execution.start) || is_too_long(&execution.end) {
                return Err(DataError(format!(
                    "the times of {name} do not fit in 64 bits of nanoseconds"
                )));
            }
            if execution.start < latest {
                return Err(DataError(format!(
                    "{name} starts before the previous execution in the list"
                )));
            }
            if execution.end < execution.start {
                return Err(DataError(format!("{name} ends before its start")));
            }
            latest = execution.start;
        }
        self.check_limits()
    }

    /// Returns the timeline as trace events in JSON, for `chrome://tracing` and [Perfetto](https://ui.perfetto.dev).
    /// Each worker is a track. An arrow leads to each execution that another worker released.
    ///
    /// Each deadline is a track as well, with a slice from the due time to the end and a marker at the deadline. The arguments of
    /// an execution name the limits that it [exceeded](Self::misses_of). Budgets have no track. Times count from the begin of the run, or
    /// from the first due time of a deadline if that is earlier.
    pub fn to_trace(&self) -> String {
        trace::write(self)
    }
}

/// A recorded run. See [`Schedule::record`](crate::Schedule::record). It cannot leave the thread that called `record`.
#[derive(Clone, Copy)]
pub struct Recording<'s> {
    pub(crate) schedule: &'s str,
    pub(crate) nodes: &'s Nodes,
    pub(crate) plan: &'s Plan,
    pub(crate) run: RunNumber,
    pub(crate) begin: Instant,
    pub(crate) end: Instant,
    /// `None` if no driver has run the schedule.
    pub(crate) limits: Option<MeasuredLimits<'s>>,
}

impl Recording<'_> {
    /// Whether the run exceeded a deadline or a budget. `false` if no [`Driver`](crate::Driver) ran the schedule.
    pub fn has_missed_limits(&self) -> bool {
        self.limits.is_some_and(|limits| limits.is_any_missed())
    }

    /// Returns the executions with their workers, the execution that each waited for, and the limits that applied. Cost:
    /// O(orders × iterations + executions × (log(executions) + limits)).
    pub fn timeline(&self) -> Timeline {
        let ns = |at: Instant| at.saturating_duration_since(self.begin).as_nanos() as u64;
        let interval = |entry: RecordEntry| ExecutionInterval {
            start_ns: ns(entry.start.at),
            end_ns: ns(entry.end.map_or(self.end, |end| end.at)),
            nth_start: entry.start.nth,
            nth_end: entry.end.map_or(u64::MAX, |end| end.nth),
            worker: entry.thread,
            is_repeat: entry.is_repeat,
            goes_on: entry.goes_on,
            members: entry.members,
            is_part: entry.is_part,
        };
        let recorded = self
            .nodes
            .by_rank
            .iter()
            .map(|node| node.about.record.of(self.run).map(interval));
        let mut intervals: ExecutionIntervals = recorded.collect();
        let n_workers = number_workers(&mut intervals.all, thread_number());
        let ranked = find_waits(self.plan, &intervals);
        let limits = self
            .limits
            .map(|limits| limits.applied(self.nodes, self.plan, &ranked));
        Timeline {
            version: Version,
            schedule: self.schedule.to_string(),
            n_workers,
            makespan: self.end.saturating_duration_since(self.begin),
            executions: named(self.plan, ranked, |rank| {
                self.nodes.by_rank[rank as usize].about.place.name.clone()
            }),
            limits: limits.unwrap_or_default(),
        }
    }
}

impl fmt::Debug for Recording<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording")
            .field("schedule", &self.schedule)
            .finish_non_exhaustive()
    }
}

/// Numbers the threads in the order in which they started to work, beginning with the caller. Returns their number.
fn number_workers(intervals: &mut [ExecutionInterval], caller: u32) -> usize {
    // Each thread with the start of its first execution. The list is short.
    let mut threads = vec![(caller, 0)];
    for interval in &mut *intervals {
        let known = threads
            .iter_mut()
            .find(|(thread, _)| *thread == interval.worker);
        match known {
            Some((_, nth_start)) => *nth_start = interval.nth_start.min(*nth_start),
            None => threads.push((interval.worker, interval.nth_start)),
        }
    }
    threads[1..].sort_by_key(|&(_, nth_start)| nth_start);
    for interval in intervals {
        let worker = threads
            .iter()
            .position(|&(thread, _)| thread == interval.worker);
        interval.worker = worker.expect("found above") as u32;
    }
    threads.len()
}

/// Converts the recorded executions, with the execution that each waited for.
pub(crate) fn executions(
    plan: &Plan,
    intervals: &ExecutionIntervals,
    name_of: impl Fn(u32) -> String,
) -> Vec<Execution> {
    named(plan, find_waits(plan, intervals), name_of)
}

fn named(
    plan: &Plan,
    executions: Vec<RankedExecution>,
    name_of: impl Fn(u32) -> String,
) -> Vec<Execution> {
    let with = |one: &RankedExecution| {
        let members = match one.interval.members {
            0 => return Vec::new(),
            members => waits::bits_of(members),
        };
        let sweep = plan.sweeps.of(one.rank).expect("it is a member");
        let group = sweep.together_with(one.rank);
        let members = members.map(|nth| group[nth]);
        let others = members.filter(|&rank| rank != one.rank);
        others.map(&name_of).collect()
    };
    let execution = |one: RankedExecution| Execution {
        system: name_of(one.rank),
        with: with(&one),
        worker: one.interval.worker as usize,
        start: Duration::from_nanos(one.interval.start_ns),
        end: Duration::from_nanos(one.interval.end_ns),
        waited_for: one.waited_for,
    };
    executions.into_iter().map(execution).collect()
}
