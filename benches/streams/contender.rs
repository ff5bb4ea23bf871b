//! The interface of contenders.

use std::time::Instant;

use crate::batch::{Batch, Result};

/// Processes the events of a batch, each once.
pub(crate) trait Contender {
    fn name(&self) -> &'static str;

    /// Restores the balances before the first event. Not timed.
    fn reset(&mut self);

    /// Processes all events. Timed.
    fn run(&mut self);

    /// The result of the last run.
    fn result(&self) -> Result;

    /// Whether the result is correct. By default, it must equal that of a sequential loop.
    fn is_right(&self, batch: &Batch) -> bool {
        batch.is_serial(&self.result())
    }
}

/// Nanoseconds per event.
///
/// # Panics
///
/// If the result is wrong.
pub(crate) fn sample(contender: &mut dyn Contender, batch: &Batch) -> f64 {
    contender.reset();
    let start = Instant::now();
    contender.run();
    let elapsed = start.elapsed();
    assert!(
        contender.is_right(batch),
        "`{}` does not come to what the serial loop comes to",
        contender.name()
    );
    elapsed.as_secs_f64() * 1e9 / batch.entries.len() as f64
}
