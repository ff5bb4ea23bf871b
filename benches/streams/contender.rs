//! Who processes the events.

use std::time::Instant;

use crate::batch::{Batch, Result};

/// Processes the events of a batch, each once.
pub(crate) trait Contender {
    fn name(&self) -> &'static str;

    /// Back to the balances before the first event. Not timed.
    fn reset(&mut self);

    /// All events. Timed.
    fn run(&mut self);

    /// What the last run came to.
    fn result(&self) -> Result;

    /// Whether it is that of one event after the other, as it should.
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
