//! The interface of contenders.

use benches::temperature::Temperature;

/// Runs the systems of a workload in one of its orders, each once per run.
pub(crate) trait Contender {
    fn name(&self) -> &'static str;

    /// Takes a [`Temperature::sample`] of runs.
    fn sample(&mut self, temperature: Temperature, n_runs: u32) -> Vec<f64>;
}
