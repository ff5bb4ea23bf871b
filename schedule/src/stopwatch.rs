//! Measures the executions of a node in the time of a driver.

use core::fmt;
use core::time::Duration;
use std::sync::Arc;

use crate::limits::{Limits, RunTimes};

/// Returns the time of a driver.
pub(crate) type Now = Arc<dyn Fn() -> Duration + Send + Sync>;

/// The executions of a node in the current run. The thread that holds the node writes it.
pub(crate) struct Stopwatch {
    now: Now,
    /// The start of the execution that has not ended.
    start: Option<Duration>,
    measured: Option<MeasuredNode>,
}

/// The executions of a node in a run, in the time of the driver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeasuredNode {
    /// The end of the last one.
    pub(crate) end: Duration,
    /// The sum of all.
    pub(crate) busy: Duration,
}

impl Stopwatch {
    pub(crate) fn new(now: Now) -> Self {
        Self {
            now,
            start: None,
            measured: None,
        }
    }

    pub(crate) fn start(&mut self) {
        self.start = Some((self.now)());
    }

    /// Ends the execution, if one has started.
    pub(crate) fn stop(&mut self) {
        let Some(start) = self.start.take() else {
            return;
        };
        let end = (self.now)();
        let before = self.measured.map_or(Duration::ZERO, |before| before.busy);
        self.measured = Some(MeasuredNode {
            end,
            busy: before.saturating_add(end.saturating_sub(start)),
        });
    }

    /// The executions so far. `None` if the node was not executed.
    pub(crate) fn measured(&self) -> Option<MeasuredNode> {
        self.measured
    }

    /// Begins a run.
    pub(crate) fn clear(&mut self) {
        self.measured = None;
    }
}

impl fmt::Debug for Stopwatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stopwatch")
            .field("measured", &self.measured)
            .finish_non_exhaustive()
    }
}

/// The limits of a system, and its measured times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitedSystem {
    pub(crate) limits: Limits,
    pub(crate) times: RunTimes,
}
