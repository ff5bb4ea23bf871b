//! What an executor knows, and what it decided by that.

use core::cmp::Reverse;
use core::fmt;
use core::time::Duration;

use crate::executor::{Execution, Executor, Expected};
use crate::profile::{Profile, SystemCost};

/// What the systems of a schedule cost, and how its runs go: see [`Schedule::report`](crate::Schedule::report).
///
/// What is measured is known from the first run with [`Executor::Auto`] on; nothing is with the others.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The name of the schedule.
    pub schedule: String,
    /// How it is to run.
    pub executor: Executor,
    /// Systems, and conditions of loops.
    pub n_systems: usize,
    /// What each of them costs; `None` as long as nothing is known.
    pub profile: Option<Profile>,
    /// What all systems take together in a run.
    pub work: Duration,
    /// What those take of which each waits for the one before, on the path that takes longest: no run takes less, on any
    /// number of threads.
    pub critical_path: Duration,
    /// Runs on one thread.
    pub n_serial_runs: u64,
    /// Runs on several, by a timetable that was made before.
    pub n_timetabled_runs: u64,
    /// Runs on several, each system as soon as what comes before it was done.
    pub n_parallel_runs: u64,
    /// What a run is expected to take, hot and cold; nothing as long as nothing is known.
    pub expected: Vec<Expected>,
}

impl Report {
    pub(crate) fn new(
        schedule: &str,
        n_systems: usize,
        profile: Option<Profile>,
        execution: &Execution,
    ) -> Self {
        let knowledge = execution.knowledge();
        let [n_serial_runs, n_timetabled_runs, n_parallel_runs] = knowledge.n_runs;
        Self {
            schedule: schedule.to_string(),
            executor: execution.executor(),
            n_systems,
            profile,
            work: knowledge.work,
            critical_path: knowledge.span,
            n_serial_runs,
            n_timetabled_runs,
            n_parallel_runs,
            expected: knowledge.expected,
        }
    }
}

/// ```
/// use schedule::prelude::*;
///
/// #[system]
/// fn wait() {
///     std::thread::sleep(std::time::Duration::from_millis(2));
/// }
///
/// let mut frame = Schedule::builder().name("frame").add::<wait>().build()?;
/// frame.run(&mut Resources::new())?;
/// let report = frame.report().to_string();
/// assert!(report.starts_with("schedule `frame`: 1 system, executor Auto\n  runs: 1 serial, 0 by timetable, 0 parallel\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_systems = self.n_systems;
        let s = if n_systems == 1 { "" } else { "s" };
        let Self {
            schedule, executor, ..
        } = self;
        writeln!(
            f,
            "schedule `{schedule}`: {n_systems} system{s}, executor {executor:?}"
        )?;
        let serial = self.n_serial_runs;
        let (timetabled, parallel) = (self.n_timetabled_runs, self.n_parallel_runs);
        write!(
            f,
            "  runs: {serial} serial, {timetabled} by timetable, {parallel} parallel"
        )?;
        let Some(profile) = &self.profile else {
            return Ok(());
        };
        let (work, path) = (self.work, self.critical_path);
        write!(f, "\n  work {work:.1?}, critical path {path:.1?}")?;
        for expected in &self.expected {
            let when = if expected.is_hot {
                "in a row"
            } else {
                "after a pause"
            };
            let Expected {
                serial,
                timetabled,
                parallel,
                ..
            } = expected;
            write!(
                f,
                "\n  a run {when}: {serial:.1?} serial, {timetabled:.1?} by timetable, {parallel:.1?} parallel"
            )?;
        }
        let mut costs: Vec<&SystemCost> = profile.costs.iter().collect();
        costs.sort_by_key(|cost| Reverse(cost.ns));
        for cost in costs.iter().take(MOST_SYSTEMS) {
            let (system, took) = (&cost.system, Duration::from_nanos(cost.ns.into()));
            write!(f, "\n  `{system}` {took:.1?}")?;
        }
        if costs.len() > MOST_SYSTEMS {
            write!(f, "\n  and {} that take less", costs.len() - MOST_SYSTEMS)?;
        }
        Ok(())
    }
}

/// So many are told of in text, of those that take most.
const MOST_SYSTEMS: usize = 10;
