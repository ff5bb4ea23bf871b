//! How far each lane of a run is, and who runs it.
//!
//! The state that the threads of a run by timetable share. It knows neither systems nor threads, so that a model checker can
//! try all of its interleavings; `README.md` beside this file says why it is right.
//!
//! Invariant: an entry of a lane is run by the thread that has the lane, in the order of the lane, once in each run; and
//! only after [`Lanes::begin`] of that run. Who has the lane, or sees by [`Lanes::n_done`] that the entry is completed,
//! sees what was written before that.

use crossbeam_utils::CachePadded;

use crate::sync::{AtomicU32, AtomicU64, Ordering, model_fence, needed};

/// See the module. Entries are counted over all runs.
#[derive(Debug)]
pub(super) struct Lanes {
    /// By lane.
    lens: Vec<u64>,
    /// `words[l]`: twice the number of completed entries of lane l, and 1 if somebody has it.
    words: Box<[CachePadded<AtomicU64>]>,
    /// Runs that have begun.
    n_runs: CachePadded<AtomicU64>,
    /// Helpers that were asked for and have not left.
    n_helpers: CachePadded<AtomicU32>,
}

/// A lane that this thread has.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) lane: usize,
    /// Runs that have begun, this one included.
    pub(super) n_runs: u64,
    /// Entries of it that are completed.
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

    /// Starts a run; the one before it is over. Returns how many have begun. For the caller.
    pub(super) fn begin(&self) -> u64 {
        // Relaxed: only this thread writes it.
        let n_runs = self.n_runs.load(Ordering::Relaxed) + 1;
        // Release: pairs with the Acquire in `claim`. SeqCst: as `leave` needs it.
        self.n_runs.store(n_runs, needed("begin", Ordering::SeqCst));
        n_runs
    }

    /// How many lanes there are.
    pub(super) fn len(&self) -> usize {
        self.lens.len()
    }

    /// How many entries of a lane are completed after so many runs.
    pub(super) fn n_after(&self, lane: usize, n_runs: u64) -> u64 {
        self.lens[lane] * n_runs
    }

    /// How many entries of a lane are known to be completed.
    pub(super) fn n_done(&self, lane: usize) -> u64 {
        // Acquire: pairs with the Release in `tell` and `release`.
        self.words[lane].load(needed("see", Ordering::Acquire)) / 2
    }

    /// Whether somebody has a lane.
    pub(super) fn is_held(&self, lane: usize) -> bool {
        // Relaxed: a guess.
        self.words[lane].load(Ordering::Relaxed) % 2 == 1
    }

    /// Takes a lane that nobody has, if something is left of it.
    pub(super) fn claim(&self, lane: usize) -> Option<Held> {
        let word = &self.words[lane];
        // Relaxed: a guess; the exchange decides.
        let before = word.load(Ordering::Relaxed);
        // Acquire: pairs with the Release in `begin`. What is left of that run is not touched after it is over, since
        // then nothing is left.
        let n_runs = self.n_runs.load(needed("begun", Ordering::SeqCst));
        if before % 2 == 1 || before / 2 >= self.n_after(lane, n_runs) {
            return None;
        }
        // Acquire: pairs with the Release in `release`, of who had it before.
        let result = word.compare_exchange(
            before,
            before + 1,
            needed("claim", Ordering::Acquire),
            Ordering::Relaxed,
        );
        result.ok().map(|before| Held {
            lane,
            n_runs,
            n_done: before / 2,
        })
    }

    /// Tells others how many entries are completed.
    pub(super) fn tell(&self, held: &Held) {
        // Release: pairs with the Acquire in `n_done`.
        self.words[held.lane].store(held.n_done * 2 + 1, needed("tell", Ordering::Release));
    }

    /// Lets go of a lane, and tells how many entries are completed.
    pub(super) fn release(&self, held: Held) {
        // Release: pairs with the Acquire in `n_done` and `claim`. SeqCst: as `leave` needs it.
        self.words[held.lane].store(held.n_done * 2, needed("release", Ordering::SeqCst));
    }

    /// Whether something is left of a lane that anybody may take. The first is the caller's.
    pub(super) fn is_any_left(&self) -> bool {
        let n_runs = self.n_runs.load(Ordering::SeqCst);
        (1..self.len()).any(|lane| {
            let word = self.words[lane].load(Ordering::SeqCst);
            word.is_multiple_of(2) && word / 2 < self.n_after(lane, n_runs)
        })
    }

    /// Whether there are fewer helpers than that. Relaxed: a guess.
    pub(super) fn has_fewer_helpers(&self, max: u32) -> bool {
        self.n_helpers.load(Ordering::Relaxed) < max
    }

    /// Whether one more helper is to be asked for, of at most `max`; it counts as asked for then.
    pub(super) fn try_ask(&self, max: u32) -> bool {
        model_fence("begin, ask");
        // SeqCst: of this look after a run has begun, and that of `leave`, one sees what the other has done.
        let n_helpers = &self.n_helpers;
        let n = n_helpers.load(Ordering::SeqCst);
        let ask = || n_helpers.compare_exchange(n, n + 1, Ordering::SeqCst, Ordering::Relaxed);
        n < max && ask().is_ok()
    }

    /// A helper leaves. Returns whether something is left to take: then it has to [`try_ask`](Self::try_ask) to be one
    /// again.
    pub(super) fn leave(&self) -> bool {
        self.n_helpers.fetch_sub(1, Ordering::SeqCst);
        model_fence("leave, look");
        self.is_any_left()
    }
}

#[cfg(all(test, loom))]
mod model;
