//! The threads of the contenders.

use std::sync::Arc;

use benches::pinning::{Pinning, Seat};
use rayon::ThreadPool;

#[cfg(feature = "solana")]
use crate::solana::{self, Machine};

/// All that can run at once on the two processors, for each contender; they sleep while others are measured.
pub(crate) struct Pools {
    /// For whoever works on the thread that calls, too: at most one of these joins it, on the other processor.
    pub(crate) ours: Arc<ThreadPool>,
    /// For whoever works on the thread that calls, and nowhere else.
    pub(crate) alone: Arc<ThreadPool>,
    /// For all others: whoever calls sleeps, or hands out.
    pub(crate) peers: Arc<ThreadPool>,
    /// Of the thread that calls.
    #[cfg(feature = "solana")]
    pub(crate) solana: Machine,
}

impl Pools {
    pub(crate) fn new(pinning: &Pinning) -> Self {
        pinning.enrol(Seat::First);
        Self {
            ours: pinning.pool([Seat::Second, Seat::Second]),
            alone: pinning.pool([Seat::First]),
            peers: pinning.pool([Seat::First, Seat::Second]),
            #[cfg(feature = "solana")]
            solana: solana::machine(),
        }
    }
}
