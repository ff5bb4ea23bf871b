//! Decides which runs are timed.

use core::time::Duration;

use super::model::LEAST_WORK;
use super::repetition::REPEATED_RUNS;
use crate::base::cost::clock;

/// The maximum share of time that timing takes on average.
const SHARE: f64 = 0.005;
/// The minimum and the maximum number of runs from one timed run to the next.
const EVERY: (u32, u32) = (4, 4096);
/// The number of timed runs at the start that are closer together. The nth of them is at most about `EVERY.0 * n` runs
/// after the one before. So an average soon covers many runs. They are within about 2,500 runs. Runs with very little
/// work are not timed more often.
const N_EARLY: u32 = 32;
/// The number of timed runs in a row that measure the costs.
const SERIES: u32 = 3;
/// The minimum number of runs between two series of timed runs.
const MIN_SERIES_DISTANCE: u32 = 16;

/// Counts the runs until the next timed one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    n_until: u32,
    /// The current distance from one timed run to the next.
    every: u32,
    /// The number of consecutive runs still to be timed.
    n_urgent: u32,
    /// The number of timed executions in the last timed run.
    n_timed: u32,
    /// The number of timed runs, at most [`N_EARLY`].
    n_runs: u32,
    /// The state of a random number generator, for `jitter`.
    dice: u32,
}

impl Timing {
    /// The next runs are timed.
    pub(super) const NOW: Self = Self {
        n_until: 0,
        every: 0,
        n_urgent: SERIES,
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

    /// Whether the next `n_runs` runs can all be untimed. If so, this counts them as over.
    pub(super) fn may_skip(&mut self, n_runs: u32) -> bool {
        let may_skip = self.n_until > n_runs;
        if may_skip {
            self.n_until -= n_runs;
        }
        may_skip
    }

    /// Records a timed run with `n_timed` timed executions.
    pub(super) fn note_timed(&mut self, n_timed: u32) {
        self.n_timed = n_timed;
        self.n_runs = (self.n_runs + 1).min(N_EARLY);
        self.n_urgent = self.n_urgent.saturating_sub(1);
    }

    /// Plans the next timed run. `work_ns`: the work of a run. `learning`: returns the time spent on learning from the
    /// last timed run.
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

    /// Number of runs by which the next timed run is delayed, at most about half of `every`. Without it, timing could
    /// align with systems that run in every fourth run.
    fn jitter(&mut self) -> u32 {
        // Numerical Recipes (Press and others 2007). Only the upper bits are random enough.
        self.dice = self
            .dice
            .wrapping_mul(1_664_525)
            .wrapping_add(1_013_904_223);
        // A multiple of one chosen run and its repetitions. Other delays would reduce the number of repetitions.
        (1 + REPEATED_RUNS) * ((self.dice >> 16) % (self.every / 8 + 2))
    }

    /// The time that reading the clock added to the last timed run.
    pub(super) fn overhead(&self) -> Duration {
        2 * clock() * self.n_timed
    }

    /// Times the next runs, because costs seem to have changed. Does nothing right after the last series.
    pub(super) fn time_soon(&mut self) {
        if self.n_urgent == 0 && self.n_until + MIN_SERIES_DISTANCE < self.every {
            self.restart();
        }
    }

    /// Times the next runs.
    pub(super) fn restart(&mut self) {
        (self.n_urgent, self.n_until) = (SERIES, 0);
    }
}
