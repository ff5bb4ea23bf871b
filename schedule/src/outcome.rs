//! What became of each node, where all threads of a run see it.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What became of a node in the last pass of its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It ran, and this is the index of its answer; or it has not been reached.
    Finished(u32),
    /// It returned an error, or panicked, or a resource was missing; or it is a loop, and that became of a part.
    Failed,
    /// Another failed, and therefore it did not run.
    Skipped,
    /// Its guard was false, and therefore it did not run.
    Passed,
    /// It is switched off, and does not run before it is switched on again: this stays from run to run.
    Disabled,
}

/// What became of all nodes. Relaxed throughout: whoever reads of a node has synchronised with all that wrote it.
pub(crate) struct Outcomes {
    /// By rank.
    of_nodes: Box<[AtomicU32]>,
    has_failed: AtomicBool,
    is_stopped: AtomicBool,
    n_disabled: AtomicU32,
    /// Whether any of these three says something.
    has_marks: AtomicBool,
    skipping: Mutex<Skipping>,
}

/// What is needed to find those that are skipped for a failure; kept, so that a failure allocates nothing.
#[derive(Default)]
pub(crate) struct Skipping {
    /// Nodes whose dependents are not marked yet; empty before and afterwards.
    pub(crate) open: Vec<u32>,
    /// Nodes that are switched off, and whose dependents are marked or in `open`.
    pub(crate) disabled: HashSet<u32>,
}

const FAILED: u32 = u32::MAX;
const SKIPPED: u32 = u32::MAX - 1;
const PASSED: u32 = u32::MAX - 2;
const DISABLED: u32 = u32::MAX - 3;

/// What a node answers that has none; and what stands there before it is reached.
const NO_ANSWER: u32 = 1;

impl Outcomes {
    pub(crate) fn new(n_nodes: usize) -> Self {
        Self {
            of_nodes: (0..n_nodes).map(|_| AtomicU32::new(NO_ANSWER)).collect(),
            has_failed: AtomicBool::new(false),
            is_stopped: AtomicBool::new(false),
            n_disabled: AtomicU32::new(0),
            has_marks: AtomicBool::new(false),
            skipping: Mutex::default(),
        }
    }

    pub(crate) fn get(&self, rank: u32) -> Outcome {
        match self.of_nodes[rank as usize].load(Ordering::Relaxed) {
            FAILED => Outcome::Failed,
            SKIPPED => Outcome::Skipped,
            PASSED => Outcome::Passed,
            DISABLED => Outcome::Disabled,
            answer => Outcome::Finished(answer),
        }
    }

    /// Nothing is written that does not change: other threads would have to fetch what is beside it again.
    #[inline]
    pub(crate) fn set(&self, rank: u32, outcome: Outcome) {
        let code = match outcome {
            Outcome::Failed => FAILED,
            Outcome::Skipped => SKIPPED,
            Outcome::Passed => PASSED,
            Outcome::Disabled => DISABLED,
            Outcome::Finished(answer) => answer,
        };
        let of_node = &self.of_nodes[rank as usize];
        if of_node.load(Ordering::Relaxed) != code {
            of_node.store(code, Ordering::Relaxed);
        }
    }

    /// Switches a node off, or on again. Not during a run.
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

    /// Whether no node is skipped or switched off, so that only guards decide what runs.
    #[inline]
    pub(crate) fn is_calm(&self) -> bool {
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

    /// For one failure at a time. No system runs, and no other lock is taken, while this is held.
    pub(crate) fn skipping(&self) -> MutexGuard<'_, Skipping> {
        self.skipping.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nothing is to start any more.
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// As before a run.
    pub(crate) fn reset(&self) {
        for outcome in &self.of_nodes {
            if outcome.load(Ordering::Relaxed) != DISABLED {
                outcome.store(NO_ANSWER, Ordering::Relaxed);
            }
        }
        self.has_failed.store(false, Ordering::Relaxed);
        self.is_stopped.store(false, Ordering::Relaxed);
        let n_disabled = self.n_disabled.load(Ordering::Relaxed);
        self.has_marks.store(n_disabled > 0, Ordering::Relaxed);
    }
}
