//! What the executor of a schedule knows of its runs.

use core::time::Duration;

/// How runs went, and what is expected of them. No times, as long as nobody knows what nodes cost.
#[derive(Debug, Default)]
pub(crate) struct Knowledge {
    /// Runs that were serial, by a timetable, and parallel.
    pub(crate) n_runs: [u64; 3],
    /// Hot, then cold.
    pub(crate) expected: Vec<Expected>,
}

/// What a run is expected to take, by how soon it follows the one before it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Expected {
    /// So soon that threads that helped are still there; else they have to be woken.
    pub is_hot: bool,
    /// On the thread that calls.
    pub serial: Duration,
    /// On several, by a timetable; `None` if there is none for such a schedule.
    pub timetabled: Option<Duration>,
    /// On several, each system as soon as what comes before it is done; `None` if nothing can run at once.
    pub parallel: Option<Duration>,
}
