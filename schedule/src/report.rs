//! What an executor knows, and what it decided by that.

use core::fmt;
use core::time::Duration;

use crate::executor::Executor;

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
    /// Every system, in the order in which one thread runs them.
    pub systems: Vec<SystemCost>,
    /// What all systems take together in a run.
    pub work: Duration,
    /// What those take of which each waits for the one before, on the path that takes longest: no run takes less, on any
    /// number of threads.
    pub critical_path: Duration,
    /// Into how many batches systems were put the last time that a plan for several threads was made; 0 before.
    pub n_batches: usize,
    /// Runs on one thread.
    pub n_serial_runs: u64,
    /// Runs on several.
    pub n_parallel_runs: u64,
    /// What a run is expected to take, hot and cold; nothing as long as nothing is known.
    pub expected: Vec<Expected>,
}

/// What a system takes in a run: all passes of a loop together, and nothing where it is skipped.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SystemCost {
    /// The name of the system.
    pub system: String,
    /// `None` as long as nothing is known.
    pub cost: Option<Duration>,
}

/// What a run is expected to take, by how soon it follows the one before it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Expected {
    /// So soon that threads that helped are still there; else they have to be woken.
    pub is_hot: bool,
    /// On the thread that calls.
    pub serial: Duration,
    /// On several.
    pub parallel: Duration,
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
/// assert!(report.starts_with("schedule `frame`: 1 system, executor Auto\n  runs: 1 serial, 0 parallel\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_systems = self.systems.len();
        let s = if n_systems == 1 { "" } else { "s" };
        let Self {
            schedule, executor, ..
        } = self;
        writeln!(
            f,
            "schedule `{schedule}`: {n_systems} system{s}, executor {executor:?}"
        )?;
        let (serial, parallel) = (self.n_serial_runs, self.n_parallel_runs);
        write!(f, "  runs: {serial} serial, {parallel} parallel")?;
        let mut known: Vec<(&str, Duration)> =
            self.systems.iter().filter_map(SystemCost::known).collect();
        if known.is_empty() {
            return Ok(());
        }
        let (work, path) = (self.work, self.critical_path);
        write!(f, "\n  work {work:.1?}, critical path {path:.1?}")?;
        if self.n_batches > 0 {
            write!(f, ", {} batches", self.n_batches)?;
        }
        for expected in &self.expected {
            let when = if expected.is_hot {
                "in a row"
            } else {
                "after a pause"
            };
            let Expected {
                serial, parallel, ..
            } = expected;
            write!(
                f,
                "\n  a run {when}: {serial:.1?} serial, {parallel:.1?} parallel"
            )?;
        }
        known.sort_by_key(|&(_, cost)| core::cmp::Reverse(cost));
        for (system, cost) in known.iter().take(MOST_SYSTEMS) {
            write!(f, "\n  `{system}` {cost:.1?}")?;
        }
        if known.len() > MOST_SYSTEMS {
            write!(f, "\n  and {} that take less", known.len() - MOST_SYSTEMS)?;
        }
        Ok(())
    }
}

/// So many are told of in text, of those that take most.
const MOST_SYSTEMS: usize = 10;

impl SystemCost {
    fn known(&self) -> Option<(&str, Duration)> {
        Some((&self.system, self.cost?))
    }
}
