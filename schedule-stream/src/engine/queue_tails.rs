//! The tails of the queues: for each record, the last events in flight that use it. Only the dispatcher uses them.
//!
//! A tail is found by a hash of the address of the record. Records whose addresses have the same hash share a queue, so
//! an event sometimes waits without need. The table has a fixed size, and entries need no removal.

use core::ptr::NonNull;

use crate::base::footprint::Use;
use crate::base::hash::hash;

/// See the module.
#[derive(Debug)]
pub(crate) struct QueueTails {
    /// The tails, by hash of the address of the record. len: a power of two.
    tails: Box<[QueueTail]>,
    /// `before[l]`: the previous reader in the queue of link l.
    before: Box<[QueuedLink]>,
    /// The numbers of events that have arrived and that are released.
    n_arrived: u64,
    n_released: u64,
}

/// A link of an event, and the number of events that had arrived with it. 0 means no event, like the number of an event
/// that is released.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueuedLink(u64);

impl QueuedLink {
    const NONE: Self = Self(0);
    /// Number of bits of the link.
    const BITS: u32 = 14;
    /// Maximum number of events: three years at ten million events per second.
    const MOST: u64 = u64::MAX >> Self::BITS;

    #[inline(always)]
    fn new(nth: u64, link: u32) -> Self {
        Self(nth << Self::BITS | u64::from(link))
    }

    #[inline(always)]
    pub(crate) fn nth(self) -> u64 {
        self.0 >> Self::BITS
    }

    #[inline(always)]
    pub(crate) fn number(self) -> u32 {
        self.0 as u32 & !(u32::MAX << Self::BITS)
    }
}

/// The tail of a queue.
#[derive(Clone, Copy, Debug)]
struct QueueTail {
    writer: QueuedLink,
    /// The last reader since that writer that is not known to be completed.
    reader: QueuedLink,
}

impl QueueTails {
    /// Creates `n_tails` tails, a power of two, for links below `n_links`.
    pub(crate) fn new(n_tails: usize, n_links: usize) -> Self {
        assert!(n_links <= 1 << QueuedLink::BITS, "too many links");
        let empty = QueueTail {
            writer: QueuedLink::NONE,
            reader: QueuedLink::NONE,
        };
        Self {
            tails: vec![empty; n_tails].into(),
            before: vec![QueuedLink::NONE; n_links].into(),
            n_arrived: 0,
            n_released: 0,
        }
    }

    /// Returns the link of the last event in flight for which the next event with this access must wait.
    #[inline(always)]
    pub(crate) fn last(&self, address: NonNull<()>, how: Use) -> Option<u32> {
        let QueueTail { writer, reader } = self.tails[hash(address, self.tails.len())];
        let last = match how {
            Use::Write if reader.nth() > self.n_released => reader,
            _ => writer,
        };
        (last.nth() > self.n_released).then(|| last.number())
    }

    /// Returns whether all events are completed for which the next event with this access must wait. Removes readers
    /// for which `is_over` returns true, so that it is called once for each completed reader.
    #[inline(always)]
    pub(crate) fn are_over(
        &mut self,
        address: NonNull<()>,
        how: Use,
        is_over: impl Fn(u32) -> bool,
    ) -> bool {
        let tail = &mut self.tails[hash(address, self.tails.len())];
        let n_released = self.n_released;
        while how == Use::Write && tail.reader.nth() > n_released {
            if !is_over(tail.reader.number()) {
                return false;
            }
            tail.reader = self.before[tail.reader.number() as usize];
        }
        tail.writer.nth() <= n_released || is_over(tail.writer.number())
    }

    /// Counts an arrival.
    #[inline]
    pub(crate) fn arrive(&mut self) {
        assert!(self.n_arrived < QueuedLink::MOST, "too many events");
        self.n_arrived += 1;
    }

    /// Counts the release of the oldest event.
    #[inline]
    pub(crate) fn release(&mut self) {
        self.n_released += 1;
    }

    /// Appends the event that arrived last to the queue of a record, with an unused link of it. Calls `notify` with the
    /// links for which it must wait: all readers since the last writer, or, without any, that writer.
    #[inline(always)]
    pub(crate) fn join(
        &mut self,
        address: NonNull<()>,
        how: Use,
        link: u32,
        mut notify: impl FnMut(QueuedLink),
    ) {
        let tail = &mut self.tails[hash(address, self.tails.len())];
        let (n_released, n_arrived) = (self.n_released, self.n_arrived);
        let is_there = |link: QueuedLink| link.nth() > n_released;
        // The event may already be in this queue, for another record.
        let is_other = |link: QueuedLink| is_there(link) && link.nth() != n_arrived;
        // If there were readers, they waited for the writer, or it was completed.
        if is_other(tail.writer) && (how == Use::Read || tail.reader.nth() == 0) {
            notify(tail.writer);
        }
        let me = QueuedLink::new(n_arrived, link);
        if how == Use::Read {
            self.before[link as usize] = tail.reader;
            tail.reader = me;
            return;
        }
        let mut reader = tail.reader;
        while is_there(reader) {
            if is_other(reader) {
                notify(reader);
            }
            reader = self.before[reader.number() as usize];
        }
        *tail = QueueTail {
            writer: me,
            reader: QueuedLink::NONE,
        };
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use core::cell::RefCell;
    use core::ptr::without_provenance_mut;

    use super::*;

    #[test]
    fn completed_reader_is_checked_once() {
        let mut tails = QueueTails::new(16, 16);
        let record = NonNull::new(without_provenance_mut(48)).unwrap();
        for (link, how) in [(0, Use::Write), (1, Use::Read), (2, Use::Read)] {
            tails.arrive();
            tails.join(record, how, link, |_| ());
        }
        // Returns whether an event with this access can run if the events `over` are completed, and the links that were
        // checked.
        let mut ask = |how: Use, over: &[u32]| {
            let asked = RefCell::new(Vec::new());
            let is_free = tails.are_over(record, how, |link| {
                asked.borrow_mut().push(link);
                over.contains(&link)
            });
            (is_free, asked.into_inner())
        };
        assert_eq!(ask(Use::Read, &[]), (false, vec![0]));
        assert_eq!(
            ask(Use::Read, &[0]),
            (true, vec![0]),
            "readers run in parallel"
        );
        assert_eq!(ask(Use::Write, &[0, 2]), (false, vec![2, 1]));
        assert_eq!(ask(Use::Write, &[0, 2]), (false, vec![1]));
        assert_eq!(ask(Use::Write, &[0, 1, 2]), (true, vec![1, 0]));
        let mut notified = Vec::new();
        tails.arrive();
        tails.join(record, Use::Write, 3, |link| notified.push(link.number()));
        assert_eq!(notified, [0], "all readers are removed");
        for _ in 0..4 {
            tails.release();
        }
        let is_over = |_| panic!("all events are released");
        assert!(tails.are_over(record, Use::Write, is_over));
    }
}
