//! How much time is spent on a figure.

use std::time::Duration;

/// Rounds come in stretches, since the system counts the time of processes in steps of some milliseconds: what else ran
/// during a single round cannot be told.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many stretches are kept.
    pub n_stretches: usize,
    /// How many more there may be, where some are discarded.
    pub n_retries: usize,
    /// How long a stretch is at least.
    pub stretch: Duration,
    /// How many rounds it has at least.
    pub n_rounds: usize,
}

impl Effort {
    /// Half an hour for a bench with many workloads, or more where much is discarded.
    pub const FULL: Self = Self {
        n_stretches: 4,
        n_retries: 2,
        stretch: Duration::from_millis(400),
        n_rounds: 5,
    };

    /// Some two minutes. Nothing is discarded: so short a stretch hardly tells what others took.
    pub const QUICK: Self = Self {
        n_stretches: 1,
        n_retries: 0,
        stretch: Duration::from_millis(50),
        n_rounds: 2,
    };
}
