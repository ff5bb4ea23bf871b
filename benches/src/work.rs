//! What a system does.

use core::cell::Cell;
use core::fmt;
use std::sync::Arc;
use std::time::Instant;

use crate::scene::{self, N_SCENES};
use crate::weight::Weight;

/// What all contenders call, the very same one.
pub type Call = Arc<dyn Fn() + Send + Sync>;

/// Arithmetic of a known cost: that does not change with who runs it, as it would if systems watched the clock, since
/// they would then make up for time in which they did not run.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// `n_steps[s]`: in scene s.
    n_steps: [u64; N_SCENES],
}

impl Work {
    /// As a boxed call, which does nothing else: it looks at the scene only if that makes a difference.
    pub fn call(self) -> Call {
        let [first, second] = self.n_steps;
        if first != second {
            Arc::new(move || self.run())
        } else if first == 0 {
            Arc::new(|| ())
        } else {
            Arc::new(move || take(first))
        }
    }

    /// Does it, on this thread.
    pub fn run(self) {
        take(self.n_steps[scene::current()]);
    }
}

thread_local! {
    /// What the last work of this thread came to.
    static LAST: Cell<u64> = const { Cell::new(1) };
}

/// Takes so many steps on this thread; none cost nothing.
#[inline]
pub fn take(n_steps: u64) {
    if n_steps > 0 {
        go_on(n_steps);
    }
}

fn go_on(n_steps: u64) {
    // From where the last one ended: else the processor begins this one before that, as far as it looks ahead, and a
    // loop over systems of 100 ns takes half as long as it should.
    let mut x = LAST.get();
    for _ in 0..n_steps {
        // Each step needs the one before, and there is no shorter way to the last.
        x = (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    LAST.set(x);
}

/// How long work takes here.
#[derive(Clone, Copy, Debug)]
pub struct Calibration {
    steps_per_ns: f64,
}

impl Calibration {
    /// As it is now, on this thread.
    pub fn measure() -> Self {
        let n_steps = 100_000;
        let time = |_| {
            let start = Instant::now();
            take(n_steps);
            start.elapsed().as_secs_f64() * 1e9
        };
        // The least: whatever else happened made it longer.
        let least = (0..200).map(time).fold(f64::INFINITY, f64::min);
        Self {
            steps_per_ns: n_steps as f64 / least,
        }
    }

    /// `cost_ns`: for a weight of 1.
    pub fn work(self, cost_ns: u64, weight: Weight) -> Work {
        Work {
            n_steps: weight.map(|weight| self.n_steps(cost_ns * weight)),
        }
    }

    /// How many steps take so long.
    pub fn n_steps(self, cost_ns: u64) -> u64 {
        (cost_ns as f64 * self.steps_per_ns).round() as u64
    }
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a step of work takes {:.2} ns", 1.0 / self.steps_per_ns)
    }
}
