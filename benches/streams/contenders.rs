//! All contenders.

use schedule_stream::internal::ProcessingMode;

use crate::batch::Batch;
use crate::channels::Channels;
use crate::contender::Contender;
use crate::halves::Halves;
use crate::mutexes::Mutexes;
use crate::ours::Ours;
use crate::pools::Pools;
use crate::prio::Prio;
use crate::queues::Queues;
use crate::serial::Serial;
#[cfg(feature = "solana")]
use crate::solana::Solana;
use crate::tickets::Tickets;

/// A stream with default settings.
pub(crate) const AUTO: &str = "stream auto";

/// The cost of lanes on one thread.
pub(crate) const LANES_ALONE: &str = "lanes, one thread";
/// The cost of queues on one thread.
pub(crate) const QUEUES_ALONE: &str = "queues, one thread";

/// The baseline comes first.
pub(crate) fn all<'b>(batch: &'b Batch, pools: &'b Pools) -> Vec<Box<dyn Contender + 'b>> {
    let ours = |name, processing| Ours::new(name, batch, processing, &pools.ours);
    let alone = |name, processing| Ours::new(name, batch, processing, &pools.alone);
    let all: Vec<Box<dyn Contender + 'b>> = vec![
        Box::new(Serial::new(batch)),
        Box::new(ours(AUTO, ProcessingMode::Auto)),
        Box::new(ours("stream inline", ProcessingMode::Serial)),
        Box::new(ours("stream queues", ProcessingMode::Queues)),
        Box::new(ours("stream lanes", ProcessingMode::Lanes)),
        Box::new(ours("stream tickets", ProcessingMode::Tickets)),
        Box::new(alone(QUEUES_ALONE, ProcessingMode::Queues)),
        Box::new(alone(LANES_ALONE, ProcessingMode::Lanes)),
        Box::new(Halves::new(batch, pools)),
        Box::new(Mutexes::new(batch, pools)),
        Box::new(Channels::new("channels", batch, pools, Queues::new(batch))),
        Box::new(Tickets::new(batch, pools)),
        Box::new(Channels::new("prio-graph", batch, pools, Prio::new())),
    ];
    #[cfg(feature = "solana")]
    let all = {
        let mut all = all;
        all.extend(
            Solana::new(batch, &pools.solana).map(|solana| -> Box<dyn Contender> {
                Box::new(Channels::new("solana", batch, pools, solana))
            }),
        );
        all
    };
    all
}
