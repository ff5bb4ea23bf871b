//! Predicts the number of runs that follow each other without a pause (a burst).

/// The maximum predicted length. With a larger one, it would take long to notice that bursts are short again.
const MOST: f64 = 64.0;
/// The weight of the last burst in the mean.
const SHARE: f64 = 0.25;

/// The number of runs since the last pause, and the mean length of earlier bursts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bursts {
    mean: f64,
    n_runs: u32,
}

impl Bursts {
    /// Assumes a mean of two runs.
    pub(super) const NEW: Self = Self {
        mean: 2.0,
        n_runs: 0,
    };

    /// A run begins after a pause.
    pub(super) fn begin(&mut self) {
        if self.n_runs > 0 {
            self.mean += SHARE * (f64::from(self.n_runs).min(MOST) - self.mean);
        }
        self.n_runs = 1;
    }

    /// A run begins right after another.
    pub(super) fn go_on(&mut self) {
        self.n_runs = self.n_runs.saturating_add(1);
    }

    /// The expected number of runs until the next pause, including the one that begins now. If the burst is longer than
    /// the mean, as many runs are expected as there were so far.
    pub(super) fn left(&self) -> f64 {
        let n_runs = f64::from(self.n_runs);
        let left = self.mean - n_runs + 1.0;
        if left >= 1.0 { left } else { n_runs.min(MOST) }
    }
}
