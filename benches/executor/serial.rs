//! A sequential loop: the baseline.

use benches::temperature::Temperature;
use benches::work::Call;

use crate::contender::Contender;

/// Its name in tables and results.
pub(crate) const NAME: &str = "serial loop";

/// Calls the systems in insertion order, which satisfies all orders.
pub(crate) struct Serial {
    calls: Vec<Call>,
}

impl Serial {
    pub(crate) fn new(calls: &[Call]) -> Self {
        Self {
            calls: calls.to_vec(),
        }
    }
}

impl Contender for Serial {
    fn name(&self) -> &'static str {
        NAME
    }

    fn sample(&mut self, temperature: Temperature, n_runs: u32) -> Vec<f64> {
        temperature.sample(n_runs, || {
            for call in &self.calls {
                call();
            }
        })
    }
}
