//! What a handler does beside: the rules of a real ledger take some microseconds.

use schedule::prelude::*;

use self::arithmetic::Calibration;

// The benches have it for the same reason.
#[path = "../../benches/src/arithmetic.rs"]
#[allow(unreachable_pub, reason = "it is public where it comes from")]
mod arithmetic;

/// Arithmetic of a known cost.
#[derive(Resource, Clone, Copy)]
pub(crate) struct Work {
    n_steps: u64,
}

impl Work {
    pub(crate) fn new(handler_ns: u64) -> Self {
        let n_steps = match handler_ns {
            0 => 0,
            _ => Calibration::new().n_steps(handler_ns),
        };
        Self { n_steps }
    }

    pub(crate) fn take(&self) {
        arithmetic::take(self.n_steps);
    }
}
