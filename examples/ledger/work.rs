//! Additional arithmetic in each handler, because the rules of a real ledger take longer.

use core::cell::Cell;
use std::time::Instant;

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

/// Arithmetic of a known duration.
///
/// Equal in all processes of a cluster, which measure the number of steps themselves.
#[derive(Resource, Snapshot, Serialize, Deserialize, Clone, Copy)]
#[snapshot(name = "work")]
pub(crate) struct Work {
    handler_ns: u64,
    #[serde(skip)]
    n_steps: u64,
}

impl Work {
    /// Returns arithmetic of this duration, measured on this thread.
    pub(crate) fn new(handler_ns: u64) -> Self {
        const N_STEPS: u64 = 100_000;
        let time = |_| {
            let start = Instant::now();
            Self {
                handler_ns,
                n_steps: N_STEPS,
            }
            .run();
            start.elapsed()
        };
        let n_steps = match handler_ns {
            0 => 0,
            _ => {
                // The minimum has the fewest interruptions.
                let least = (0..100).map(time).min().unwrap_or_default();
                (handler_ns as f64 * N_STEPS as f64 / least.as_secs_f64() / 1e9) as u64
            }
        };
        Self {
            handler_ns,
            n_steps,
        }
    }

    pub(crate) fn run(&self) {
        if self.n_steps == 0 {
            return;
        }
        // Start from the last result, so that the processor cannot overlap two calls.
        let mut x = LAST.get();
        for _ in 0..self.n_steps {
            x = (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        }
        LAST.set(x);
    }
}

thread_local! {
    static LAST: Cell<u64> = const { Cell::new(1) };
}
