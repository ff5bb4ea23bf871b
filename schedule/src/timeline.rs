//! Timelines: which system ran when and on which thread, in a recorded or simulated run.

mod replay;
mod trace;

use core::fmt;
use core::time::Duration;

pub(crate) use self::replay::{Stay, Stays, replay};
use crate::data::{DataError, Version, check_index};
use crate::nodes::Nodes;
use crate::plan::Plan;
use crate::record::{RecordEntry, RunNumber, thread};
use crate::time::Instant;

/// A run, told execution by execution: see [`Recording::timeline`].
///
/// An execution is in it for each time that a system ran, or the condition of a loop, or a sync point; what was skipped or passed
/// over has none. No two executions on one worker overlap, and none starts before the one that it waited for has ended.
///
/// With the feature `serde` it can be written and read. As JSON, fields have the names that they have here, and a duration is
/// `{"secs": 0, "nanos": 2500}`. [`check`](Self::check) finds data that contradicts itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Timeline {
    /// The version of this form of data.
    pub version: Version<1>,
    /// What the schedule is called.
    pub schedule: String,
    /// How many threads took part, or could have in a simulation. All threads of a pool may have helped the one that calls
    /// `run`, though not all at once.
    pub n_workers: usize,
    /// From the begin of the run to its end. What commands do at the end of a run is between the last execution and that.
    pub makespan: Duration,
    /// By start, then by worker.
    pub executions: Vec<Execution>,
}

/// A system, the condition of a loop, or a sync point, that had its execution.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Execution {
    /// What it is called.
    pub system: String,
    /// On which worker; 0 is the thread that calls `run`, and the others are numbered as they came.
    pub worker: usize,
    /// When the worker took it, from the begin of the run.
    pub start: Duration,
    /// When the worker was done with it: in a simulation, what it costs besides its system is in between.
    pub end: Duration,
    /// Of all that had to come before it, the execution that ended last: by index in the same list. `None` if nothing that came
    /// before it had an execution.
    pub waited_for: Option<usize>,
}

impl Timeline {
    /// How long a worker had something to do.
    pub fn busy(&self, worker: usize) -> Duration {
        let of_worker = self
            .executions
            .iter()
            .filter(|execution| execution.worker == worker);
        of_worker
            .map(|execution| execution.end.saturating_sub(execution.start))
            .sum()
    }

    /// The executions of a system, as they came.
    pub fn executions_of<'t>(
        &'t self,
        system: impl AsRef<str> + 't,
    ) -> impl Iterator<Item = &'t Execution> {
        self.executions
            .iter()
            .filter(move |execution| execution.system == system.as_ref())
    }

    /// Checks that the timeline is one of a run: each execution is on one of its workers, starts no earlier than the execution before it
    /// in the list, and waited for an execution of the list; no duration is longer than 580 years. O(executions).
    ///
    /// # Errors
    ///
    /// If the timeline was read or changed, and contradicts itself. The timeline of a recording or a simulation never does.
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
        let is_too_long = |time: &Duration| u64::try_from(time.as_nanos()).is_err();
        let mut latest = Duration::ZERO;
        if is_too_long(&self.makespan) {
            return Err(DataError("`makespan` is too long".to_string()));
        }
        for (idx, execution) in self.executions.iter().enumerate() {
            let name = format_args!("execution {idx}");
            check_index(execution.worker, self.n_workers, "worker", name)?;
            if let Some(before) = execution.waited_for {
                check_index(before, self.executions.len(), "execution", name)?;
            }
            if is_too_long(&execution.start) || is_too_long(&execution.end) {
                return Err(DataError(format!("the times of {name} are too long")));
            }
            if execution.start < latest {
                return Err(DataError(format!(
                    "{name} starts before the one before it in the list"
                )));
            }
            latest = execution.start;
        }
        Ok(())
    }

    /// As JSON of trace events, which `chrome://tracing` and [Perfetto](https://ui.perfetto.dev) show: a track for each
    /// worker, and an arrow to each execution that another worker released.
    pub fn to_trace(&self) -> String {
        trace::write(self)
    }
}

/// A run that was recorded, as it was written down: see [`Schedule::record`](crate::Schedule::record). It stays on the thread
/// that called.
#[derive(Clone, Copy)]
pub struct Recording<'s> {
    pub(crate) schedule: &'s str,
    pub(crate) nodes: &'s Nodes,
    pub(crate) plan: &'s Plan,
    pub(crate) run: RunNumber,
    pub(crate) begin: Instant,
    pub(crate) end: Instant,
}

impl Recording<'_> {
    /// Who ran when, on which worker, and what it waited for. A quarter of a microsecond for each execution; O(orders × passes +
    /// executions × log(executions)).
    pub fn timeline(&self) -> Timeline {
        let ns = |at: Instant| at.saturating_duration_since(self.begin).as_nanos() as u64;
        let stay = |entry: RecordEntry| Stay {
            start_ns: ns(entry.start),
            end_ns: ns(entry.end.unwrap_or(self.end)),
            worker: entry.thread,
            is_repeat: entry.is_repeat,
            goes_on: entry.goes_on,
        };
        let recorded = self.nodes.by_rank.iter();
        let recorded = recorded.map(|node| node.about.record.of(self.run).map(stay));
        let mut stays: Stays = recorded.collect();
        let n_workers = number_workers(&mut stays.all, thread());
        Timeline {
            version: Version,
            schedule: self.schedule.to_string(),
            n_workers,
            makespan: self.end.saturating_duration_since(self.begin),
            executions: executions(self.plan, &stays, |rank| {
                self.nodes.by_rank[rank as usize].about.place.name.clone()
            }),
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

/// Numbers the threads that worked as they came, the one that called first. Returns how many there are.
fn number_workers(stays: &mut [Stay], caller: u32) -> usize {
    // Each with when it came; they are few.
    let mut threads = vec![(caller, 0)];
    for stay in &mut *stays {
        let known = threads
            .iter_mut()
            .find(|(thread, _)| *thread == stay.worker);
        match known {
            Some((_, came_ns)) => *came_ns = stay.start_ns.min(*came_ns),
            None => threads.push((stay.worker, stay.start_ns)),
        }
    }
    threads[1..].sort_by_key(|&(_, came_ns)| came_ns);
    for stay in stays {
        let worker = threads
            .iter()
            .position(|&(thread, _)| thread == stay.worker);
        stay.worker = worker.expect("found above") as u32;
    }
    threads.len()
}

/// With who waited for whom.
pub(crate) fn executions(
    plan: &Plan,
    stays: &Stays,
    name_of: impl Fn(u32) -> String,
) -> Vec<Execution> {
    let execution = |one: replay::RankedExecution| Execution {
        system: name_of(one.rank),
        worker: one.stay.worker as usize,
        start: Duration::from_nanos(one.stay.start_ns),
        end: Duration::from_nanos(one.stay.end_ns),
        waited_for: one.waited_for,
    };
    replay(plan, stays).into_iter().map(execution).collect()
}
