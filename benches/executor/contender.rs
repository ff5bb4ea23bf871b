//! Who runs the systems.

use benches::temperature::Temperature;

/// Runs the systems of a workload in one of its orders, each once per run.
pub(crate) trait Contender {
    fn name(&self) -> &'static str;

    /// [`Temperature::sample`] of runs.
    fn sample(&mut self, temperature: Temperature, n_runs: u32) -> Vec<f64>;
}
