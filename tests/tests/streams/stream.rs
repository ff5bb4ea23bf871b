//! Streams: parallel processing has the same results as a sequential loop.

mod atomic;
mod cuts;
#[cfg(not(miri))]
mod engine;
#[cfg(not(miri))]
mod far;
mod large_ids;
mod limits;
#[cfg(not(miri))]
mod metrics;
mod parallel;
mod producing;
mod random;
mod scenario;
mod second_panic;
#[cfg(not(miri))]
mod slow;
#[cfg(not(miri))]
mod snapshot;
#[cfg(not(miri))]
mod span;
mod unwinding;

use schedule_stream::Position;
use schedule_stream::internal::{ProcessingMode, set_mode};
use schedule_stream::prelude::*;

use schedule_tests::on::shared_pool;

/// Number of repetitions of tests that depend on timing.
const N_RUNS: usize = if cfg!(miri) { 1 } else { 100 };

/// Returns the number of earlier events, if all earlier batches are full.
fn nth(position: Position) -> u64 {
    (position.batch - 1) * 2048 + u64::from(position.index)
}

/// The processing, and the number of threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct By(ProcessingMode, usize);

impl By {
    /// All combinations.
    pub(crate) const ALL: &[By] = if cfg!(miri) {
        &[
            By(ProcessingMode::Lanes, 3),
            By(ProcessingMode::Queues, 2),
            By(ProcessingMode::Tickets, 2),
        ]
    } else {
        &[
            By(ProcessingMode::Serial, 1),
            By(ProcessingMode::Lanes, 1),
            By(ProcessingMode::Lanes, 2),
            By(ProcessingMode::Lanes, 4),
            By(ProcessingMode::Queues, 1),
            By(ProcessingMode::Queues, 2),
            By(ProcessingMode::Queues, 4),
            By(ProcessingMode::Tickets, 1),
            By(ProcessingMode::Tickets, 2),
            By(ProcessingMode::Tickets, 4),
            By(ProcessingMode::Parallel, 2),
            By(ProcessingMode::Parallel, 4),
            By(ProcessingMode::Auto, 2),
            By(ProcessingMode::Auto, 4),
        ]
    };

    /// The combinations in which two handlers that may run at the same time always do, even if one waits for the other.
    /// With lanes, they do so only if they are in different lanes.
    const AT_ONCE: &[By] = if cfg!(miri) {
        &[By(ProcessingMode::Queues, 2)]
    } else {
        &[
            By(ProcessingMode::Queues, 2),
            By(ProcessingMode::Queues, 4),
            By(ProcessingMode::Tickets, 2),
            By(ProcessingMode::Tickets, 4),
        ]
    };

    /// Returns the maximum number of events in flight.
    fn capacity(self) -> usize {
        match self.0 {
            ProcessingMode::Tickets => 256,
            _ => 2048,
        }
    }

    /// Creates a stream.
    fn stream<E: Event>(self) -> Stream<E> {
        let mut stream = Stream::new();
        self.set(&mut stream);
        stream
    }

    /// Lets a stream process events so.
    pub(crate) fn set<E: Event>(self, stream: &mut Stream<E>) {
        set_mode(stream, self.0);
        stream.set_pool(shared_pool(self.1));
    }
}
