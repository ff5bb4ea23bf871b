//! What a system does.

use std::sync::Arc;

use benches::arithmetic::{Calibration, take};

use crate::scene::{self, N_SCENES};
use crate::weight::Weight;

/// What all contenders call, the very same one.
pub(crate) type Call = Arc<dyn Fn() + Send + Sync>;

/// Arithmetic of a known cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    /// `n_steps[s]`: in scene s.
    n_steps: [u64; N_SCENES],
}

impl Work {
    /// `cost_ns`: for a weight of 1.
    pub(crate) fn new(calibration: Calibration, cost_ns: u64, weight: Weight) -> Self {
        Self {
            n_steps: weight.map(|weight| calibration.n_steps(cost_ns * weight)),
        }
    }

    pub(crate) fn call(self) -> Call {
        let [first, second] = self.n_steps;
        if first != second {
            Arc::new(move || self.run())
        } else if first == 0 {
            Arc::new(|| ())
        } else {
            Arc::new(move || take(first))
        }
    }

    pub(crate) fn run(self) {
        take(self.n_steps[scene::current()]);
    }
}
