//! Streams: several events at once come to the same as one after the other.

mod cuts;
#[cfg(not(miri))]
mod engine;
#[cfg(not(miri))]
mod far;
mod large_ids;
mod logging;
mod parallel;
mod producing;
mod random;
mod scenario;
mod second_panic;
#[cfg(not(miri))]
mod span;
mod unwinding;

use schedule_stream::Processing;
use schedule_stream::prelude::*;

use crate::on::shared_pool;

/// Streams in a row, where one alone may go well by chance.
const N_RUNS: usize = if cfg!(miri) { 1 } else { 100 };

/// How events are ordered, and on how many threads.
#[derive(Clone, Copy, Debug, PartialEq)]
struct By(Processing, usize);

impl By {
    /// All of them.
    const ALL: &[By] = if cfg!(miri) {
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

    /// Those in which two handlers that may run at once do, even if one waits for the other. In lanes they do if they are in
    /// two.
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

    /// So many events may be on their way.
    fn capacity(self) -> usize {
        match self.0 {
            Processing::Tickets => 256,
            _ => 2048,
        }
    }

    /// A new stream.
    fn stream<E: Event>(self) -> Stream<E> {
        let mut stream = Stream::new();
        stream.set_processing(self.0);
        stream.set_pool(shared_pool(self.1));
        stream
    }
}
