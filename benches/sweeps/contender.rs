//! The interface of contenders.

use benches::temperature::Temperature;

use crate::digest::Digest;

/// Runs the systems of a workload on entities of its own.
pub(crate) trait Contender {
    /// Runs all systems once.
    fn run(&mut self);

    /// A digest of all components, and of the sum.
    fn digest(&mut self) -> Digest;

    /// Takes a sample of `n_runs` runs.
    fn sample(&mut self, n_runs: u32) -> Vec<f64> {
        sample(n_runs, || self.run())
    }
}

/// The number of runs after which the caches contain as much of the entities as they keep. After one run, they do not yet.
const N_WARM: usize = 4;

/// Nanoseconds per run, for `n_runs` in a row after others.
pub(crate) fn sample(n_runs: u32, mut run: impl FnMut()) -> Vec<f64> {
    for _ in 0..N_WARM {
        run();
    }
    Temperature::Hot.sample(n_runs, run)
}
