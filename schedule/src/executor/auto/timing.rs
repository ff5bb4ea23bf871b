//! Which runs are timed.

use core::time::Duration;

use super::habit::HABIT;
use super::model::LEAST_WORK;
use crate::cost::clock;

/// Timed runs take at most this part of the time longer, on the average.
const SHARE: f64 = 0.005;
/// Runs between two that are timed, at least and at most.
const EVERY: (u32, u32) = (4, 4096);
/// At first they are closer: the nth of so many is about `EVERY.0 * n` runs after the one before. So an average is soon one of
/// many runs. That is about 1,500 runs in all, and not done where runs take so little that it would be felt.
const N_EARLY: u32 = 32;
/// So many timed runs in a row tell what costs are.
const URGENT: u32 = 3;
/// Runs between such a row and the one before it.
const LEAST_HURRY: u32 = 16;

/// How many runs go by until the clock is read for each node again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    n_until: u32,
    /// From one that is timed to the next, as things are.
    every: u32,
    /// Runs that are timed one after the other.
    n_urgent: u32,
    /// What the clock was read for in the last timed run: so often.
    n_timed: u32,
    /// How many runs were timed, as far as that matters.
    n_runs: u32,
    /// Decides how far from `every` the next one is.
    dice: u32,
}

impl Timing {
    /// The next runs are timed.
    pub(super) const NOW: Self = Self {
        n_until: 0,
        every: 0,
        n_urgent: URGENT,
        n_timed: 0,
        n_runs: 0,
        dice: 0,
    };

    /// Whether the run that begins now is timed.
    pub(super) fn is_due(&mut self) -> bool {
        let is_due = self.n_until == 0;
        self.n_until = self.n_until.saturating_sub(1);
        is_due
    }

    /// Whether none of the next runs, so many, has to be timed; if so, they count as over.
    pub(super) fn may_skip(&mut self, n_runs: u32) -> bool {
        let may_skip = self.n_until > n_runs;
        if may_skip {
            self.n_until -= n_runs;
        }
        may_skip
    }

    /// The clock was read for so many nodes.
    pub(super) fn note_timed(&mut self, n_timed: u32) {
        self.n_timed = n_timed;
        self.n_runs = (self.n_runs + 1).min(N_EARLY);
        self.n_urgent = self.n_urgent.saturating_sub(1);
    }

    /// To learn what so much work takes, `learning` is needed besides what the clock takes.
    pub(super) fn plan(&mut self, work_ns: u64, learning: impl FnOnce() -> Duration) {
        if self.n_urgent == 0 {
            let overhead = self.overhead().as_nanos() + learning().as_nanos();
            let every = overhead as f64 / (SHARE * work_ns.max(1) as f64);
            self.every = (every as u32).clamp(EVERY.0, EVERY.1);
            if self.n_runs < N_EARLY && work_ns >= LEAST_WORK {
                self.every = self.every.min(EVERY.0 * self.n_runs.max(1));
            }
            self.every += self.jitter();
            self.n_until = self.every;
        }
    }

    /// Number of runs by which the next timed run is delayed, at most about half of `every`. Without it, timing could align with
    /// systems that run every fourth run.
    fn jitter(&mut self) -> u32 {
        // Numerical Recipes (Press and others 2007): the upper bits are good.
        self.dice = self
            .dice
            .wrapping_mul(1_664_525)
            .wrapping_add(1_013_904_223);
        // In whole groups of a run that is thought about and those that go as it: else fewer would go so.
        (1 + HABIT) * ((self.dice >> 16) % (self.every / 8 + 2))
    }

    /// What the clock takes of a timed run.
    pub(super) fn overhead(&self) -> Duration {
        2 * clock() * self.n_timed
    }

    /// Costs are not what they were: times the next runs, unless that was done just now.
    pub(super) fn hurry(&mut self) {
        if self.n_urgent == 0 && self.n_until + LEAST_HURRY < self.every {
            self.restart();
        }
    }

    /// Times the next runs.
    pub(super) fn restart(&mut self) {
        (self.n_urgent, self.n_until) = (URGENT, 0);
    }
}
