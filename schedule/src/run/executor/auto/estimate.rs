//! Learns the error of the model.

use super::Mode;

/// The mean covers about this number of runs.
const MEMORY: u8 = 16;
/// The maximum factor by which one of the first `EARLY_RUNS` runs differs from the estimate. Larger factors are clamped.
const EARLY_CLAMP: f64 = 4.0;
/// The number of first runs, which have the larger bound.
const EARLY_RUNS: u8 = 4;
/// The same bound for all later runs.
const CLAMP: f64 = 1.56;
/// A run that differs from the estimate by more than this factor is a surprise.
const SURPRISE: f64 = 1.5;
/// After this number of surprises in a row in the same direction, the estimate is doubted.
const SURPRISES: i8 = 3;
/// Runs may differ from the estimate by this multiple of their mean deviation, if that is more than the two bounds above.
const DEVIATIONS: f64 = 2.0;
/// Runs with at least this mean deviation differ too much for a comparison of few runs.
const LARGE_DEVIATION: f32 = 0.25;
/// The age in runs at which another mode is tried for the first time. Before that, only the model is known.
const FIRST_PATIENCE: u32 = 8;
/// The age in runs at which a mode is tried again: the usual one, and the maximum.
pub(super) const PATIENCE: u32 = 64;
pub(super) const MOST_PATIENCE: u32 = 4096;

/// The situation that a run of some mode starts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// After a pause: helpers have to be woken, and the caches are cold.
    Cold,
    /// After a pause: helpers wait for the run, and the caches are cold.
    Awaited,
    /// Right after a run of another mode: helpers have to be woken.
    Alone,
    /// Right after a run of the same mode: its helpers are still there.
    Helped,
}

/// The error of the model, for one mode and one start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    /// The measured time divided by the time of the model.
    pub(super) ratio: f64,
    /// The approximate number of runs since the last measurement.
    pub(super) age: u32,
    /// The age at which the mode is tried again.
    pub(super) patience: u32,
    /// The mean deviation of runs from `ratio`, relative to it. Runs of a schedule differ if some of its systems do not run in all of them.
    pub(super) deviation: f32,
    /// Whether a run was measured.
    is_known: bool,
    /// The number of measured runs, up to a bound.
    n_runs: u8,
    /// The number of surprises in a row, up to the last run: of long runs if positive, of short ones if negative.
    n_surprises: i8,
}

impl Estimate {
    pub(super) const NEW: Self = Self {
        ratio: 1.0,
        age: 0,
        patience: FIRST_PATIENCE,
        deviation: 0.0,
        is_known: false,
        n_runs: 0,
        n_surprises: 0,
    };

    /// Learns the time of one run. The estimate is the mean, at first of all runs, later of about the last `MEMORY`.
    /// One run has little weight, since it may have been interrupted.
    ///
    /// Returns whether the estimate was doubted, after several surprises in a row.
    pub(super) fn learn(&mut self, actual: f64, expected: f64) -> bool {
        let off = actual / expected;
        let usual = DEVIATIONS * f64::from(self.deviation);
        let bounds = |factor: f64| {
            let most = (1.0 + usual).max(factor);
            (1.0 / most, most)
        };
        let (short, long) = bounds(SURPRISE);
        self.n_surprises = if off >= long * self.ratio {
            self.n_surprises.max(0) + 1
        } else if off < short * self.ratio {
            self.n_surprises.min(0) - 1
        } else {
            0
        };
        let is_doubted = self.n_surprises.abs() >= SURPRISES;
        if is_doubted {
            self.reduce_weight();
        }
        let share = 1.0 / f64::from(self.n_runs + 1);
        let change;
        if self.n_runs < EARLY_RUNS {
            // The geometric mean gives less weight to outliers.
            change = (off / self.ratio).clamp(1.0 / EARLY_CLAMP, EARLY_CLAMP);
            self.ratio *= change.powf(share);
        } else {
            let (least, most) = bounds(CLAMP);
            change = (off / self.ratio).clamp(least, most);
            self.ratio += share * (change - 1.0) * self.ratio;
        }
        if self.n_runs > 0 {
            // The first run shows the error of the model.
            self.deviation += share as f32 * ((change - 1.0).abs() as f32 - self.deviation);
        }
        self.is_known = true;
        self.n_runs = (self.n_runs + 1).min(MEMORY - 1);
        self.age = 0;
        is_doubted
    }

    pub(super) fn is_known(&self) -> bool {
        self.is_known
    }

    /// Reduces the weight of earlier runs: the next run counts as much as all of them.
    pub(super) fn reduce_weight(&mut self) {
        self.n_runs = self.n_runs.min(1);
        self.n_surprises = 0;
    }

    /// Ages the estimate by `n_runs` runs. While the mode is in use, an increased patience shrinks again, so earlier
    /// failed trials count less.
    pub(super) fn age_by(&mut self, n_runs: u32, is_taken: bool) {
        self.age = self.age.saturating_add(n_runs);
        if is_taken && self.patience > PATIENCE {
            self.patience -= n_runs;
        }
    }

    /// Starts a trial. If it fails, the next one follows after twice as many runs. `deviation`: that of the mode in use.
    ///
    /// If runs differ much, the few runs of a trial may all be short. So they only correct the estimate, or the model if nothing is known.
    /// Otherwise they replace it. Returns whether they do.
    pub(super) fn retry(&mut self, deviation: f32) -> bool {
        self.patience = (2 * self.patience).min(MOST_PATIENCE);
        self.age = 0;
        let is_replaced = deviation < LARGE_DEVIATION;
        if is_replaced {
            self.n_runs = 0;
        } else {
            self.n_runs = MEMORY - 1;
            self.deviation = self.deviation.max(deviation);
        }
        is_replaced
    }
}

/// One estimate for each start and mode.
#[derive(Clone, Debug)]
pub(super) struct Estimates([[Estimate; 3]; 4]);

impl Estimates {
    pub(super) const NEW: Self = Self([[Estimate::NEW; 3]; 4]);

    /// A serial run has no helpers, so `Alone` and `Helped` are the same for it, and so are `Cold` and `Awaited`.
    fn index(start: Start, mode: Mode) -> (usize, usize) {
        let start = match (start, mode) {
            (Start::Alone, Mode::Serial) => Start::Helped,
            (Start::Awaited, Mode::Serial) => Start::Cold,
            _ => start,
        };
        (start as usize, mode as usize)
    }

    pub(super) fn of(&self, start: Start, mode: Mode) -> &Estimate {
        let (start, mode) = Self::index(start, mode);
        &self.0[start][mode]
    }

    pub(super) fn of_mut(&mut self, start: Start, mode: Mode) -> &mut Estimate {
        let (start, mode) = Self::index(start, mode);
        &mut self.0[start][mode]
    }

    pub(super) fn all_mut(&mut self) -> &mut [Estimate] {
        self.0.as_flattened_mut()
    }
}
