//! The progress of each lane of a run, and which thread has it.
//!
//! This is the state that the threads of a run by timetable share. It knows neither systems nor threads, so that a
//! model checker can try all interleavings. `README.md` in this folder argues that it is correct.
//!
//! Invariant: the thread that has a lane runs its entries in order, each of them once per run, after [`Lanes::begin`]
//! of that run. A thread that has the lane sees everything that was written before. So does a thread that sees by
//! [`Lanes::n_done`] that the entry is completed.

use crossbeam_utils::CachePadded;

use crate::base::sync::{AtomicU32, AtomicU64, Ordering, model_fence, needed};

/// The state described in the module documentation. Entries are counted over all runs.
#[derive(Debug)]
pub(super) struct Lanes {
    /// `lens[l]`: the number of entries of lane l.
    lens: Vec<u64>,
    /// `words[l]`: twice the number of completed entries of lane l, plus 1 if a thread has the lane.
    words: Box<[CachePadded<AtomicU64>]>,
    /// The number of runs that have begun.
    n_runs: CachePadded<AtomicU64>,
    /// The number of helpers that were requested and have not left.
    n_helpers: CachePadded<AtomicU32>,
}

/// A lane that this thread has.
#[derive(Debug)]
pub(super) struct HeldLane {
    pub(super) lane: usize,
    /// The number of runs that have begun, including this one.
    pub(super) n_runs: u64,
    /// The number of completed entries of the lane.
    pub(super) n_done: u64,
}

impl Lanes {
    pub(super) fn new(lens: impl Iterator<Item = usize>) -> Self {
        let lens: Vec<u64> = lens.map(|len| len as u64).collect();
        let word = |_| CachePadded::new(AtomicU64::new(0));
        Self {
            words: (0..lens.len()).map(word).collect(),
            lens,
            n_runs: CachePadded::new(AtomicU64::new(0)),
            n_helpers: CachePadded::new(AtomicU32::new(0)),
        }
    }

    /// Starts a run, and returns the number of runs that have begun. The caller calls this after the previous run is
    /// over.
    pub(super) fn begin(&self) -> u64 {
        // Relaxed: only this thread writes it.
        let n_runs = self.n_runs.load(Ordering::Relaxed) + 1;
        // Release: pairs with the Acquire in `claim`. SeqCst: required by `leave`.
        self.n_runs.store(n_runs, needed("begin", Ordering::SeqCst));
        n_runs
    }

    /// The number of lanes.
    pub(super) fn len(&self) -> usize {
        self.lens.len()
    }

    /// The number of completed entries of a lane after `n_runs` runs.
    pub(super) fn n_after(&self, lane: usize, n_runs: u64) -> u64 {
        self.lens[lane] * n_runs
    }

    /// The number of entries of a lane that are known to be completed.
    pub(super) fn n_done(&self, lane: usize) -> u64 {
        // Acquire: pairs with the Release in `publish` and `release`.
        self.words[lane].load(needed("see", Ordering::Acquire)) / 2
    }

    /// Whether a thread has the lane.
    pub(super) fn is_held(&self, lane: usize) -> bool {
        // Relaxed: only an estimate.
        self.words[lane].load(Ordering::Relaxed) % 2 == 1
    }

    /// Takes a lane that no thread has, if it has entries left.
    pub(super) fn claim(&self, lane: usize) -> Option<HeldLane> {
        let word = &self.words[lane];
        // Relaxed: only an estimate, since the exchange checks it.
        let before = word.load(Ordering::Relaxed);
        // Acquire: pairs with the Release in `begin`. After a run is over, its lanes have no entries left, so they
        // cannot be taken.
        let n_runs = self.n_runs.load(needed("begun", Ordering::SeqCst));
        if before % 2 == 1 || before / 2 >= self.n_after(lane, n_runs) {
            return None;
        }
        // Acquire: pairs with the Release in `release` by the thread that had the lane before.
        let result = word.compare_exchange(
            before,
            before + 1,
            needed("claim", Ordering::Acquire),
            Ordering::Relaxed,
        );
        result.ok().map(|before| HeldLane {
            lane,
            n_runs,
            n_done: before / 2,
        })
    }

    /// Publishes the number of completed entries.
    pub(super) fn publish(&self, held: &HeldLane) {
        // Release: pairs with the Acquire in `n_done`.
        self.words[held.lane].store(held.n_done * 2 + 1, needed("publish", Ordering::Release));
    }

    /// Releases a lane, and publishes the number of completed entries.
    pub(super) fn release(&self, held: HeldLane) {
        // Release: pairs with the Acquire in `n_done` and `claim`. SeqCst: required by `leave`.
        self.words[held.lane].store(held.n_done * 2, needed("release", Ordering::SeqCst));
    }

    /// Whether a free lane has entries left. Lane 0 is excluded, since it is the caller's.
    pub(super) fn is_any_left(&self) -> bool {
        let n_runs = self.n_runs.load(Ordering::SeqCst);
        (1..self.len()).any(|lane| {
            let word = self.words[lane].load(Ordering::SeqCst);
            word.is_multiple_of(2) && word / 2 < self.n_after(lane, n_runs)
        })
    }

    /// Whether there are fewer than `max` helpers. Relaxed: only an estimate.
    pub(super) fn has_fewer_helpers(&self, max: u32) -> bool {
        self.n_helpers.load(Ordering::Relaxed) < max
    }

    /// Counts one more helper, up to `max`. Returns whether the caller of this function must request it.
    pub(super) fn try_add_helper(&self, max: u32) -> bool {
        model_fence("begin, call");
        // SeqCst: either this sees that a helper has left (in `leave`), or that helper sees the free lane.
        let n_helpers = &self.n_helpers;
        let n = n_helpers.load(Ordering::SeqCst);
        let add = || n_helpers.compare_exchange(n, n + 1, Ordering::SeqCst, Ordering::Relaxed);
        n < max && add().is_ok()
    }

    /// Notes that a helper leaves. Returns whether there are lanes to take. If so, it must call
    /// [`try_add_helper`](Self::try_add_helper) to become a helper again.
    pub(super) fn leave(&self) -> bool {
        self.n_helpers.fetch_sub(1, Ordering::SeqCst);
        model_fence("leave, look");
        self.is_any_left()
    }
}

#[cfg(all(test, loom))]
mod model;
