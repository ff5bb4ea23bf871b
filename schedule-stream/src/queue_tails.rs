//! Who stands last in line for each record: what the dispatcher knows of events that are in flight.
//!
//! A line is found by a hash of the record's address, and nothing else: records whose addresses have the same hash stand in
//! one line, so that now and then an event waits for one that it need not wait for. There is nothing to be tidied up,
//! and nothing grows.

use core::ptr::NonNull;

use super::footprint::Use;
use super::hash::hash;

/// See the module.
#[derive(Debug)]
pub(super) struct QueueTails {
    /// By a hash of the address of the record; len: a power of two.
    tails: Box<[QueueTail]>,
    /// `before[l]`: the reader that stands before link l in its line.
    before: Box<[QueuedLink]>,
    /// How many events have arrived, and how many of them have gone.
    n_come: u64,
    n_gone: u64,
}

/// A link of an event, and how many events had arrived with its own: 0 for nobody. Who has gone counts as nobody.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueuedLink(u64);

impl QueuedLink {
    const NOBODY: Self = Self(0);
    /// Of the link.
    const BITS: u32 = 14;
    /// So many events can have arrived, at most: in three years, if ten million come in a second.
    const MOST: u64 = u64::MAX >> Self::BITS;

    #[inline(always)]
    fn new(nth: u64, link: u32) -> Self {
        Self(nth << Self::BITS | u64::from(link))
    }

    #[inline(always)]
    pub(super) fn nth(self) -> u64 {
        self.0 >> Self::BITS
    }

    #[inline(always)]
    pub(super) fn number(self) -> u32 {
        self.0 as u32 & !(u32::MAX << Self::BITS)
    }
}

/// Who stands last in line for a record.
#[derive(Clone, Copy, Debug)]
struct QueueTail {
    writer: QueuedLink,
    /// The last one since that writer that is not known to be over.
    reader: QueuedLink,
}

impl QueueTails {
    /// So many, a power of two, for links of so many numbers.
    pub(super) fn new(n_tails: usize, n_links: usize) -> Self {
        assert!(n_links <= 1 << QueuedLink::BITS, "too many links");
        let nobody = QueueTail {
            writer: QueuedLink::NOBODY,
            reader: QueuedLink::NOBODY,
        };
        Self {
            tails: vec![nobody; n_tails].into(),
            before: vec![QueuedLink::NOBODY; n_links].into(),
            n_come: 0,
            n_gone: 0,
        }
    }

    /// The link of the last one that stands in line for a record and that the next one must not overtake, if there is one.
    #[inline(always)]
    pub(super) fn last(&self, address: NonNull<()>, how: Use) -> Option<u32> {
        let QueueTail { writer, reader } = self.tails[hash(address, self.tails.len())];
        let last = match how {
            Use::Write if reader.nth() > self.n_gone => reader,
            _ => writer,
        };
        (last.nth() > self.n_gone).then(|| last.number())
    }

    /// Whether all that stand in line for a record and that the next one must not overtake are over. Readers of which that is
    /// said are forgotten, so that it is asked once of each that is over.
    #[inline(always)]
    pub(super) fn are_over(
        &mut self,
        address: NonNull<()>,
        how: Use,
        is_over: impl Fn(u32) -> bool,
    ) -> bool {
        let tail = &mut self.tails[hash(address, self.tails.len())];
        let n_gone = self.n_gone;
        while how == Use::Write && tail.reader.nth() > n_gone {
            if !is_over(tail.reader.number()) {
                return false;
            }
            tail.reader = self.before[tail.reader.number() as usize];
        }
        tail.writer.nth() <= n_gone || is_over(tail.writer.number())
    }

    /// Lets an event arrive.
    #[inline]
    pub(super) fn come(&mut self) {
        assert!(self.n_come < QueuedLink::MOST, "too many events");
        self.n_come += 1;
    }

    /// Lets the oldest event go.
    #[inline]
    pub(super) fn go(&mut self) {
        self.n_gone += 1;
    }

    /// Puts the event that arrived last in line for a record, by a link of it that no other event has. Tells of those that
    /// stand there and that it must not overtake: of readers each, or else the writer before them.
    #[inline(always)]
    pub(super) fn join(
        &mut self,
        address: NonNull<()>,
        how: Use,
        link: u32,
        mut notify: impl FnMut(QueuedLink),
    ) {
        let tail = &mut self.tails[hash(address, self.tails.len())];
        let (n_gone, n_come) = (self.n_gone, self.n_come);
        let is_there = |link: QueuedLink| link.nth() > n_gone;
        // It may have named another record of this line before.
        let is_other = |link: QueuedLink| is_there(link) && link.nth() != n_come;
        // Where there were readers, they waited for the writer, or it was over.
        if is_other(tail.writer) && (how == Use::Read || tail.reader.nth() == 0) {
            notify(tail.writer);
        }
        let me = QueuedLink::new(n_come, link);
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
            reader: QueuedLink::NOBODY,
        };
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use core::cell::RefCell;
    use core::ptr::without_provenance_mut;

    use super::*;

    #[test]
    fn each_reader_that_is_over_is_asked_for_once() {
        let mut tails = QueueTails::new(16, 16);
        let record = NonNull::new(without_provenance_mut(48)).unwrap();
        for (link, how) in [(0, Use::Write), (1, Use::Read), (2, Use::Read)] {
            tails.come();
            tails.join(record, how, link, |_| ());
        }
        // Whether one that uses it so is free, if these are over, and of which that is asked.
        let mut ask = |how: Use, over: &[u32]| {
            let asked = RefCell::new(Vec::new());
            let is_free = tails.are_over(record, how, |link| {
                asked.borrow_mut().push(link);
                over.contains(&link)
            });
            (is_free, asked.into_inner())
        };
        assert_eq!(ask(Use::Read, &[]), (false, vec![0]));
        assert_eq!(ask(Use::Read, &[0]), (true, vec![0]), "readers go along");
        assert_eq!(ask(Use::Write, &[0, 2]), (false, vec![2, 1]));
        assert_eq!(ask(Use::Write, &[0, 2]), (false, vec![1]));
        assert_eq!(ask(Use::Write, &[0, 1, 2]), (true, vec![1, 0]));
        let mut notified = Vec::new();
        tails.come();
        tails.join(record, Use::Write, 3, |link| notified.push(link.number()));
        assert_eq!(notified, [0], "no reader is left");
        for _ in 0..4 {
            tails.go();
        }
        let nobody = |_| panic!("all have gone");
        assert!(tails.are_over(record, Use::Write, nobody));
    }
}
