//! How many runs follow each other without a pause.

/// Nobody plans further ahead: it would take long to learn that bursts are short again.
const MOST: f64 = 64.0;
/// How much of the mean the last burst makes.
const SHARE: f64 = 0.25;

/// The runs since the last pause, and how many there were between two pauses before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bursts {
    mean: f64,
    n_runs: u32,
}

impl Bursts {
    /// As if there had been bursts of two.
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

    /// How many runs are to be expected until the next pause, the one that begins now among them: as many as are missing
    /// from the mean; or, if there were more already, as many again.
    pub(super) fn left(&self) -> f64 {
        let n_runs = f64::from(self.n_runs);
        let left = self.mean - n_runs + 1.0;
        if left >= 1.0 { left } else { n_runs.min(MOST) }
    }
}
