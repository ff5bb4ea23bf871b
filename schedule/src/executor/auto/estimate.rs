//! How far off the model is.

use super::Way;

/// Runs that count: what was before them is forgotten.
const MEMORY: u32 = 16;
/// None of the first ones counts for more than so many times what was learned, or less than that part of it.
const FAR: f64 = 4.0;
/// That many are the first ones.
const FEW: u32 = 4;
/// None of the others for more than so many times.
const ODD: f64 = 1.56;
/// A run that is so far from what was learned is a surprise.
const SURPRISE: f64 = 1.5;
/// Who is surprised so often in a row doubts what it knows.
const SURPRISES: u32 = 3;
/// Runs until another way is tried for the first time: nobody knows more of it than the model.
const FIRST_PATIENCE: u32 = 8;
/// Runs until another way is tried again, as a rule, and at most.
pub(super) const PATIENCE: u32 = 64;
pub(super) const MOST_PATIENCE: u32 = 4096;

/// What a run finds that goes this way or that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// Nothing: helpers have to be woken, and caches hold other things.
    Cold,
    /// It is right after one that went another way: helpers have to be woken.
    Alone,
    /// It is right after one that went the same way: those who helped that one are still there.
    Helped,
}

/// How far off the model is, for one way from one start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    /// What runs take, as a multiple of what the model says.
    pub(super) ratio: f64,
    /// Runs since the last that told, about.
    pub(super) age: u32,
    /// The age at which it is tried again.
    pub(super) patience: u32,
    /// Runs that it was learned from, as far as they count.
    n_runs: u32,
    /// The last ones, in a row, that were surprises.
    n_surprises: u32,
}

impl Estimate {
    pub(super) const NEW: Self = Self {
        ratio: 1.0,
        age: 0,
        patience: FIRST_PATIENCE,
        n_runs: 0,
        n_surprises: 0,
    };

    /// The mean, at first of all runs, then of the last ones. One run never tells much: it may have been interrupted.
    ///
    /// Returns whether what was learned was doubted: there were some in a row that took much longer or shorter.
    pub(super) fn learn(&mut self, actual: f64, expected: f64) -> bool {
        let off = actual / expected;
        let is_surprise = !(1.0 / SURPRISE..SURPRISE).contains(&(off / self.ratio));
        self.n_surprises = if is_surprise { self.n_surprises + 1 } else { 0 };
        let is_doubted = self.n_surprises >= SURPRISES;
        if is_doubted {
            self.doubt();
        }
        let share = 1.0 / f64::from(self.n_runs + 1);
        if self.n_runs < FEW {
            // The geometric mean, to which one that is far off adds less.
            let change = (off / self.ratio).clamp(1.0 / FAR, FAR);
            self.ratio *= change.powf(share);
        } else {
            let off = off.clamp(self.ratio / ODD, self.ratio * ODD);
            self.ratio += share * (off - self.ratio);
        }
        self.n_runs = (self.n_runs + 1).min(MEMORY - 1);
        self.age = 0;
        is_doubted
    }

    pub(super) fn is_known(&self) -> bool {
        self.n_runs > 0
    }

    /// What was learned may no longer hold: the next run counts for as much as all before it.
    pub(super) fn doubt(&mut self) {
        self.n_runs = self.n_runs.min(1);
        self.n_surprises = 0;
    }

    /// So many runs have gone by. What is taken for long need not be tried in vain, if it has to be tried again.
    pub(super) fn grow_old(&mut self, n_runs: u32, is_taken: bool) {
        self.age = self.age.saturating_add(n_runs);
        if is_taken && self.patience > PATIENCE {
            self.patience -= n_runs;
        }
    }

    /// It is tried now; if in vain, the next time after twice as many runs.
    pub(super) fn retry(&mut self) {
        self.patience = (2 * self.patience).min(MOST_PATIENCE);
        self.age = 0;
        self.n_runs = 0;
    }
}

/// One for each way from each start.
#[derive(Clone, Debug)]
pub(super) struct Estimates([[Estimate; 3]; 3]);

impl Estimates {
    pub(super) const NEW: Self = Self([[Estimate::NEW; 3]; 3]);

    /// Nobody helps on one thread: soon after another run, it is the same after any.
    fn index(start: Start, way: Way) -> (usize, usize) {
        let start = match (start, way) {
            (Start::Alone, Way::Serial) => Start::Helped,
            _ => start,
        };
        (start as usize, way as usize)
    }

    pub(super) fn of(&self, start: Start, way: Way) -> &Estimate {
        let (start, way) = Self::index(start, way);
        &self.0[start][way]
    }

    pub(super) fn of_mut(&mut self, start: Start, way: Way) -> &mut Estimate {
        let (start, way) = Self::index(start, way);
        &mut self.0[start][way]
    }

    pub(super) fn all_mut(&mut self) -> &mut [Estimate] {
        self.0.as_flattened_mut()
    }
}
