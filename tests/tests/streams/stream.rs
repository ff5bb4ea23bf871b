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

use schedule_stream::prelude::*;
use schedule_stream::{Position, Processing};

use schedule_tests::on::shared_pool;

/// Number of repetitions of tests that depend on timing.
const N_RUNS: usize = if cfg!(miri) { 1 } else { 100 };

/// Returns the number of earlier events, if all earlier batches are full.
fn nth(position: Position) -> u64 {
    (position.batch - 1) * 2048 + u64::from(position.index)
}

/// The processing, and the number of threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct By(Processing, usize);

impl By {
    /// All combinations.
    pub(crate) const ALL: &[By] = if cfg!(miri) {
        &[
            By(Processing::Lanes, 3),
            By(Processing::Queues, 2),
            By(Processing::Tickets, 2),
        ]
    } else {
        &[
            By(Processing::Inline, 1),
            By(Processing::Lanes, 1),
            By(Processing::Lanes, 2),
            By(Processing::Lanes, 4),
            By(Processing::Queues, 1),
            By(Processing::Queues, 2),
            By(Processing::Queues, 4),
            By(Processing::Tickets, 1),
            By(Processing::Tickets, 2),
            By(Processing::Tickets, 4),
            By(Processing::Auto, 2),
            By(Processing::Auto, 4),
        ]
    };

    /// The combinations in which two handlers that may run at the same time always do, even if one waits for the other.
    /// With lanes, they do so only if they are in different lanes.
    const AT_ONCE: &[By] = if cfg!(miri) {
        &[By(Processing::Queues, 2)]
    } else {
        &[
            By(Processing::Queues, 2),
            By(Processing::Queues, 4),
            By(Processing::Tickets, 2),
            By(Processing::Tickets, 4),
        ]
    };

    /// Returns the maximum number of events in flight.
    fn capacity(self) -> usize {
        match self.0 {
            Processing::Tickets => 256,
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
        stream.set_processing(self.0);
        stream.set_pool(shared_pool(self.1));
    }
}
