//! The threads of the contenders.

use std::sync::Arc;

use benches::pinning::{Pinning, Seat};
use rayon::ThreadPool;

#[cfg(feature = "solana")]
use crate::solana::{self, Machine};

/// The thread pools of the contenders, on two processors. A pool sleeps while other contenders are measured.
pub(crate) struct Pools {
    /// For contenders whose calling thread is a worker. At most one thread of the pool joins it, on the other processor.
    pub(crate) ours: Arc<ThreadPool>,
    /// For contenders that run on the calling thread only.
    pub(crate) alone: Arc<ThreadPool>,
    /// For all other contenders. Their calling thread sleeps or distributes events.
    pub(crate) peers: Arc<ThreadPool>,
    /// The state machine of the calling thread.
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
