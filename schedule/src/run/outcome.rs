//! The outcomes of the nodes, shared by all threads of a run.

use core::ops::Range;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::collections::HashSet;

use crate::base::program::Answer;
use crate::base::reused::Reused;
use crate::declare::failure::Cause;
use crate::run::failure_log::FailureLog;

/// The outcome of a node. In a loop: that of the last iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The node ran, and this is the index of its answer. Also the value before the node is reached.
    Finished(u32),
    /// The node returned an error, panicked, or missed a resource. A loop also fails if a node of its body fails.
    Failed,
    /// The node did not run because another node failed.
    Skipped,
    /// The node did not run because its guard was false.
    GuardFalse,
    /// The node is disabled. It does not run until it is enabled again. This outcome persists between runs.
    Disabled,
}

impl Outcome {
    #[inline]
    fn code(self) -> u32 {
        match self {
            Self::Failed => FAILED,
            Self::Skipped => SKIPPED,
            Self::GuardFalse => GUARD_FALSE,
            Self::Disabled => DISABLED,
            Self::Finished(answer) => answer,
        }
    }
}

/// The outcomes of all nodes. All accesses are relaxed, because a thread that reads an outcome has synchronised with
/// the threads that wrote it.
pub(crate) struct Outcomes {
    /// The outcomes, by rank.
    of_nodes: Box<[AtomicU32]>,
    has_failed: AtomicBool,
    is_stopped: AtomicBool,
    n_disabled: AtomicU32,
    /// Whether a node has failed or is disabled, or the run is refused. Otherwise only guards decide which nodes run.
    has_marks: AtomicBool,
    skipping: Reused<Skipping>,
    /// `None` if no node reads it.
    log: Option<FailureLog>,
}

/// Memory to find the nodes that are skipped after a failure. It is kept so that a failure allocates nothing.
#[derive(Default)]
pub(crate) struct Skipping {
    /// Nodes whose dependents are not marked yet. Empty outside of the search.
    pub(crate) open: Vec<u32>,
    /// Nodes without a mark whose dependents are marked or in `open`: disabled nodes, and nodes that always run.
    pub(crate) passed: HashSet<u32>,
}

const FAILED: u32 = u32::MAX;
const SKIPPED: u32 = u32::MAX - 1;
const GUARD_FALSE: u32 = u32::MAX - 2;
const DISABLED: u32 = u32::MAX - 3;

/// The answer of a node that returns no answer, and of a node that was not reached yet.
const NO_ANSWER: u32 = 1;

impl Outcomes {
    pub(crate) fn new(n_nodes: usize, log: Option<FailureLog>) -> Self {
        Self {
            of_nodes: (0..n_nodes).map(|_| AtomicU32::new(NO_ANSWER)).collect(),
            has_failed: AtomicBool::new(false),
            is_stopped: AtomicBool::new(false),
            n_disabled: AtomicU32::new(0),
            has_marks: AtomicBool::new(false),
            skipping: Reused::new(Skipping::default()),
            log,
        }
    }

    /// Takes the memory that a failure needs.
    pub(crate) fn reserve(&self, n_nodes: usize) {
        let mut skipping = self.take_skipping();
        skipping.open.reserve(n_nodes);
        skipping.passed.reserve(n_nodes);
        self.put_skipping(skipping);
        if let Some(log) = &self.log {
            log.reserve();
        }
    }

    /// The failures of this run, if any node reads them.
    pub(crate) fn log(&self) -> Option<&FailureLog> {
        self.log.as_ref()
    }

    /// Adds a failure to the log, for all nodes that depend on this one.
    pub(crate) fn log_failure(&self, rank: u32, cause: &Cause) {
        if let Some(log) = &self.log {
            log.add(rank, cause, None);
        }
    }

    pub(crate) fn get(&self, rank: u32) -> Outcome {
        match self.of_nodes[rank as usize].load(Ordering::Relaxed) {
            FAILED => Outcome::Failed,
            SKIPPED => Outcome::Skipped,
            GUARD_FALSE => Outcome::GuardFalse,
            DISABLED => Outcome::Disabled,
            answer => Outcome::Finished(answer),
        }
    }

    /// Whether a node finished with this answer.
    #[inline]
    pub(crate) fn is_answer(&self, answer: Answer) -> bool {
        // The codes of other outcomes are greater than all answers.
        self.of_nodes[answer.rank as usize].load(Ordering::Relaxed) == answer.index
    }

    /// Skips writes that change nothing, because other threads would have to fetch the cache line again.
    #[inline]
    pub(crate) fn set(&self, rank: u32, outcome: Outcome) {
        let code = outcome.code();
        let of_node = &self.of_nodes[rank as usize];
        if of_node.load(Ordering::Relaxed) != code {
            of_node.store(code, Ordering::Relaxed);
        }
    }

    /// Sets the outcomes of these ranks.
    pub(crate) fn set_all(&self, ranks: Range<usize>, outcome: Outcome) {
        let code = outcome.code();
        for of_node in &self.of_nodes[ranks] {
            of_node.store(code, Ordering::Relaxed);
        }
    }

    /// Disables or enables a node. Must not be called during a run.
    pub(crate) fn set_enabled(&self, rank: u32, is_enabled: bool) {
        if is_enabled == self.is_enabled(rank) {
            return;
        }
        let n_disabled = self.n_disabled.load(Ordering::Relaxed);
        let n_disabled = if is_enabled {
            self.set(rank, Outcome::Finished(NO_ANSWER));
            n_disabled - 1
        } else {
            self.set(rank, Outcome::Disabled);
            n_disabled + 1
        };
        self.n_disabled.store(n_disabled, Ordering::Relaxed);
        self.has_marks.store(n_disabled > 0, Ordering::Relaxed);
    }

    /// Forgets which guards were false in the last run. Must not be called during a run.
    pub(crate) fn forget_guards(&self) {
        for outcome in &self.of_nodes {
            if outcome.load(Ordering::Relaxed) == GUARD_FALSE {
                outcome.store(NO_ANSWER, Ordering::Relaxed);
            }
        }
    }

    /// Whether the guard of a node was false. If so, the node has no other outcome.
    #[inline]
    pub(crate) fn is_guard_false(&self, rank: u32) -> bool {
        self.of_nodes[rank as usize].load(Ordering::Relaxed) == GUARD_FALSE
    }

    /// Whether no node is skipped or disabled, so that only guards decide which nodes run.
    #[inline]
    pub(crate) fn has_no_skips(&self) -> bool {
        !self.has_marks.load(Ordering::Relaxed)
    }

    pub(crate) fn is_enabled(&self, rank: u32) -> bool {
        self.get(rank) != Outcome::Disabled
    }

    /// Whether any node has failed in this run.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    pub(crate) fn note_failure(&self) {
        self.has_failed.store(true, Ordering::Relaxed);
        self.has_marks.store(true, Ordering::Relaxed);
    }

    /// Takes the memory for one failure. Of two threads that mark nodes at the same time, one gets new memory.
    pub(crate) fn take_skipping(&self) -> Box<Skipping> {
        self.skipping.take_or(Skipping::default)
    }

    /// Puts the memory back after a failure.
    pub(crate) fn put_skipping(&self, skipping: Box<Skipping>) {
        self.skipping.put(skipping);
    }

    /// Whether no further node must start.
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Begins a refused run: no node starts, except nodes that always run.
    pub(crate) fn refuse(&self) {
        self.stop();
        self.has_marks.store(true, Ordering::Relaxed);
    }

    /// Resets the outcomes after a run that has left marks.
    pub(crate) fn reset(&self) {
        for outcome in &self.of_nodes {
            if outcome.load(Ordering::Relaxed) != DISABLED {
                outcome.store(NO_ANSWER, Ordering::Relaxed);
            }
        }
        if let Some(log) = &self.log {
            log.clear();
        }
        self.has_failed.store(false, Ordering::Relaxed);
        self.is_stopped.store(false, Ordering::Relaxed);
        let n_disabled = self.n_disabled.load(Ordering::Relaxed);
        self.has_marks.store(n_disabled > 0, Ordering::Relaxed);
    }
}
