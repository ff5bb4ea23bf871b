//! The expected times of a schedule's runs.

use core::time::Duration;

/// The modes of past runs, and the expected times of future ones. Without times while costs are unknown.
#[derive(Debug, Default)]
pub(crate) struct ExpectedTimes {
    /// The number of runs by mode: serial, by timetable, by readiness.
    pub(crate) n_runs: [u64; 3],
    /// Without a pause, then after a pause.
    pub(crate) expected: Vec<Expected>,
}

/// The expected time of a run in each mode.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Expected {
    /// Whether the run follows another without a pause. Then its helpers are still there, otherwise they have to be
    /// woken.
    pub is_hot: bool,
    /// On the thread that calls `run`.
    pub serial: Duration,
    /// On several threads, by a timetable. `None` if the schedule has no timetable.
    pub timetabled: Option<Duration>,
    /// On several threads, each system as soon as its predecessors are completed. `None` if no two nodes can run at the
    /// same time.
    pub parallel: Option<Duration>,
}
