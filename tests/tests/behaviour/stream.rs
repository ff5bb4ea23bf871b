//! Streams: several events at once come to the same as one after the other.

mod logging;
mod producing;
mod random;
mod scenario;
mod unwinding;

use schedule::Ordering;
use schedule::prelude::*;

use crate::on::shared_pool;

/// How events are ordered, and on how many threads.
#[derive(Clone, Copy, Debug, PartialEq)]
struct By(Ordering, usize);

impl By {
    /// All of them.
    const ALL: &[By] = if cfg!(miri) {
        &[By(Ordering::Queues, 2), By(Ordering::Tickets, 2)]
    } else {
        &[
            By(Ordering::Inline, 1),
            By(Ordering::Queues, 1),
            By(Ordering::Queues, 2),
            By(Ordering::Queues, 4),
            By(Ordering::Tickets, 1),
            By(Ordering::Tickets, 2),
            By(Ordering::Tickets, 4),
            By(Ordering::Auto, 2),
            By(Ordering::Auto, 4),
        ]
    };

    /// Those in which two handlers run at once, sooner or later.
    const AT_ONCE: &[By] = if cfg!(miri) {
        &[By(Ordering::Queues, 2)]
    } else {
        &[
            By(Ordering::Queues, 2),
            By(Ordering::Queues, 4),
            By(Ordering::Tickets, 2),
            By(Ordering::Tickets, 4),
        ]
    };

    /// A new stream.
    fn stream<E: Event>(self) -> Stream<E> {
        let mut stream = Stream::new();
        stream.set_ordering(self.0);
        stream.set_pool(shared_pool(self.1));
        stream
    }
}
