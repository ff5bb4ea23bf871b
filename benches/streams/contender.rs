//! Who processes the events.

use std::time::Instant;

use schedule::Ordering;

use crate::batch::{Batch, Result};
use crate::channels::Channels;
use crate::mutexes::Mutexes;
use crate::ours::Ours;
use crate::pools::Pools;
use crate::prio::Prio;
use crate::queues::Queues;
use crate::serial::Serial;
#[cfg(feature = "solana")]
use crate::solana::Solana;
use crate::tickets::Tickets;

/// What a stream does by itself.
pub(crate) const AUTO: &str = "stream auto";

/// All that queues cost, with nobody to share it.
pub(crate) const QUEUES_ALONE: &str = "queues, one thread";

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

/// The one that the others are compared with comes first.
pub(crate) fn all<'b>(batch: &'b Batch, pools: &'b Pools) -> Vec<Box<dyn Contender + 'b>> {
    let ours = |name, ordering| Ours::new(name, batch, ordering, &pools.ours);
    let alone = |name, ordering| Ours::new(name, batch, ordering, &pools.alone);
    let all: Vec<Box<dyn Contender + 'b>> = vec![
        Box::new(Serial::new(batch)),
        Box::new(ours(AUTO, Ordering::Auto)),
        Box::new(ours("stream inline", Ordering::Inline)),
        Box::new(ours("stream queues", Ordering::Queues)),
        Box::new(ours("stream tickets", Ordering::Tickets)),
        Box::new(alone(QUEUES_ALONE, Ordering::Queues)),
        Box::new(Mutexes::new(batch, pools)),
        Box::new(Channels::new("channels", batch, pools, Queues::new(batch))),
        Box::new(Tickets::new(batch, pools)),
        Box::new(Channels::new("prio-graph", batch, pools, Prio::new())),
    ];
    #[cfg(feature = "solana")]
    let all = {
        let mut all = all;
        all.extend(
            Solana::new(batch, pools).map(|solana| -> Box<dyn Contender> {
                Box::new(Channels::new("solana", batch, pools, solana))
            }),
        );
        all
    };
    all
}
