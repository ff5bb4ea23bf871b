//! Measures the executions of a node in the time of a driver.

use core::fmt;
use core::time::Duration;
use std::sync::Arc;

use crate::base::place::SystemPlace;
use crate::data::limits::{RunTimes, TimeLimits};
use crate::data::slow_systems::SlowSystem;

/// Returns the time of a driver. It does not go backwards.
pub(crate) type Now = Arc<dyn Fn() -> Duration + Send + Sync>;

/// The number of a set of systems whose execution times are added up: those of a rate or of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TallyId(pub(crate) u32);

/// The executions of a node in the current run. The thread that holds the node writes it.
pub(crate) struct Stopwatch {
    now: Now,
    /// The start of the execution that has not ended.
    start: Option<Duration>,
    /// The same, if the members of a sweep execute together.
    shared_start: Option<Duration>,
    measured: Option<MeasuredNode>,
    /// Whether an execution of this run was shared with other members of a sweep.
    is_shared: bool,
    /// The number of earlier runs that executed the node, and the sum of their times.
    earlier: (u32, Duration),
    /// The sets that contain the node, each with the part of the time of this node that counts.
    tallies: Vec<(TallyId, Duration)>,
}

/// The executions of a node, or of a set of systems, in a run. In the time of the driver.
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
            shared_start: None,
            measured: None,
            is_shared: false,
            earlier: (0, Duration::ZERO),
            tallies: Vec::new(),
        }
    }

    /// Adds the node to a set of systems.
    pub(crate) fn count_for(&mut self, tally: TallyId) {
        if !self.counts_for(tally) {
            self.tallies.push((tally, Duration::ZERO));
        }
    }

    /// Whether the node belongs to a set of systems.
    pub(crate) fn counts_for(&self, tally: TallyId) -> bool {
        self.tallies.iter().any(|&(of, _)| of == tally)
    }

    pub(crate) fn start(&mut self) {
        self.start = Some((self.now)());
    }

    /// Ends the execution, if one has started.
    pub(crate) fn stop(&mut self) {
        if let Some(start) = self.start.take() {
            self.note(start, |_| true);
        }
    }

    /// Starts an execution together with other members of a sweep.
    pub(crate) fn start_shared(&mut self) {
        self.shared_start = Some((self.now)());
    }

    /// Ends it. `counts`: whether its time counts for a set. It counts once, and not once for each member of the set.
    pub(crate) fn stop_shared(&mut self, counts: impl FnMut(TallyId) -> bool) {
        if let Some(start) = self.shared_start.take() {
            self.is_shared = true;
            self.note(start, counts);
        }
    }

    fn note(&mut self, start: Duration, mut counts: impl FnMut(TallyId) -> bool) {
        let end = (self.now)();
        let took = end.saturating_sub(start);
        let before = self.measured.map_or(Duration::ZERO, |before| before.busy);
        self.measured = Some(MeasuredNode {
            end,
            busy: before.saturating_add(took),
        });
        for (of, busy) in &mut self.tallies {
            if counts(*of) {
                *busy = busy.saturating_add(took);
            }
        }
    }

    /// The executions so far. `None` if the node was not executed.
    pub(crate) fn measured(&self) -> Option<MeasuredNode> {
        self.measured
    }

    /// The executions so far, as a part of a set of systems. `None` if the node was not executed or does not belong to the set.
    pub(crate) fn measured_for(&self, tally: TallyId) -> Option<MeasuredNode> {
        let MeasuredNode { end, .. } = self.measured?;
        let (_, busy) = *self.tallies.iter().find(|&&(of, _)| of == tally)?;
        Some(MeasuredNode { end, busy })
    }

    /// The executions so far, for the explanation of a limit that was exceeded. `None` if the node was not executed.
    pub(crate) fn slow_system(&self, system: &Arc<SystemPlace>) -> Option<SlowSystem> {
        let (n_runs, sum) = self.earlier;
        Some(SlowSystem {
            system: Arc::clone(system),
            took: self.measured?.busy,
            usual: sum.checked_div(n_runs),
            is_of_sweep: self.is_shared,
        })
    }

    /// Begins a run.
    pub(crate) fn clear(&mut self) {
        if let Some(MeasuredNode { busy, .. }) = self.measured.take() {
            let (n_runs, sum) = self.earlier;
            // Half of the runs, with their average, so that the number never overflows.
            let (n_runs, sum) = if n_runs == u32::MAX {
                (n_runs / 2, sum / 2)
            } else {
                (n_runs, sum)
            };
            self.earlier = (n_runs + 1, sum.saturating_add(busy));
        }
        self.is_shared = false;
        for (_, busy) in &mut self.tallies {
            *busy = Duration::ZERO;
        }
    }
}

impl fmt::Debug for Stopwatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stopwatch")
            .field("measured", &self.measured)
            .finish_non_exhaustive()
    }
}

/// The limits of a system or a loop, and its measured times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitedSystem {
    pub(crate) limits: TimeLimits,
    pub(crate) times: RunTimes,
}
