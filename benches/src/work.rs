//! The work of systems.

use core::cell::Cell;
use core::fmt;
use std::sync::Arc;
use std::time::Instant;

use crate::scene::{self, N_SCENES};
use crate::weight::Weight;

/// A function that all contenders call.
pub type Call = Arc<dyn Fn() + Send + Sync>;

/// Arithmetic with a known cost, which does not depend on the contender. Systems do not watch the clock, because they would
/// then compensate for time in which they did not run.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// `n_steps[s]`: the number of steps in scene s.
    n_steps: [u64; N_SCENES],
}

impl Work {
    /// Returns the work as a boxed call, without overhead. The call reads the scene only if its costs differ.
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

    /// Does the work, on this thread.
    pub fn run(self) {
        take(self.n_steps[scene::current()]);
    }
}

thread_local! {
    /// The result of the last work of this thread.
    static LAST: Cell<u64> = const { Cell::new(1) };
}

/// Computes this number of steps on this thread. Zero steps cost nothing.
#[inline]
pub fn take(n_steps: u64) {
    if n_steps > 0 {
        go_on(n_steps);
    }
}

fn go_on(n_steps: u64) {
    // Starts with the last result. Otherwise the processor overlaps this work with the previous one, and a loop over systems
    // of 100 ns takes half of the intended time.
    let mut x = LAST.get();
    for _ in 0..n_steps {
        // Each step depends on the previous one, and the compiler cannot simplify the sequence.
        x = (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    LAST.set(x);
}

/// The speed of this machine.
#[derive(Clone, Copy, Debug)]
pub struct Calibration {
    steps_per_ns: f64,
}

impl Calibration {
    /// Measures the speed, on this thread.
    pub fn measure() -> Self {
        let n_steps = 100_000;
        let time = |_| {
            let start = Instant::now();
            take(n_steps);
            start.elapsed().as_secs_f64() * 1e9
        };
        // The minimum, because interruptions only increase the time.
        let least = (0..200).map(time).fold(f64::INFINITY, f64::min);
        Self {
            steps_per_ns: n_steps as f64 / least,
        }
    }

    /// `cost_ns`: the cost of a weight of 1.
    pub fn work(self, cost_ns: u64, weight: Weight) -> Work {
        Work {
            n_steps: weight.map(|weight| self.n_steps(cost_ns * weight)),
        }
    }

    /// The number of steps that take this time.
    pub fn n_steps(self, cost_ns: u64) -> u64 {
        (cost_ns as f64 * self.steps_per_ns).round() as u64
    }
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a step of work takes {:.2} ns", 1.0 / self.steps_per_ns)
    }
}
