//! The interface of contenders.

use benches::temperature::Temperature;

use crate::digest::Digest;

/// Runs the systems of a workload on entities of its own.
pub(crate) trait Contender {
    /// Runs all systems once.
    fn run(&mut self);

    /// A digest of all components, and of the sum.
    fn digest(&mut self) -> Digest;

    /// Nanoseconds per run, for `n_runs` in a row after others.
    fn sample(&mut self, n_runs: u32) -> Vec<f64> {
        Temperature::Hot.sample(n_runs, || self.run())
    }
}
