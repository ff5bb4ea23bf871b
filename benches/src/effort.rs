//! The time that is spent on a figure.

use std::time::Duration;

/// Rounds are grouped into stretches. The operating system counts the time of processes in steps of some milliseconds, which
/// is too coarse to detect other processes during a single round.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The number of stretches that are kept.
    pub n_stretches: usize,
    /// The maximum number of additional stretches, if some are discarded.
    pub n_retries: usize,
    /// The minimum duration of a stretch.
    pub stretch: Duration,
    /// The minimum number of rounds of a stretch.
    pub n_rounds: usize,
}

impl Effort {
    /// Half an hour for a bench with many workloads, or more if many stretches are discarded.
    pub const FULL: Self = Self {
        n_stretches: 4,
        n_retries: 2,
        stretch: Duration::from_millis(400),
        n_rounds: 5,
    };

    /// About two minutes. Nothing is discarded, because such short stretches hardly show the time of other processes.
    pub const QUICK: Self = Self {
        n_stretches: 1,
        n_retries: 0,
        stretch: Duration::from_millis(50),
        n_rounds: 2,
    };
}
