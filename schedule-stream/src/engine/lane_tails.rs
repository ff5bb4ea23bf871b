//! The tails of the lanes: for each record, the last events that use it, by lane. Only the dispatcher uses them.
//!
//! For each record it stores the last writer, and for each lane the last reader since that writer. A reader waits for
//! the writer. A writer waits for the writer and all readers.
//!
//! Events of a lane complete in order, so each event is a number, and an event that its lane has passed is completed.
//! Entries need no removal. Readers in the table may be older than the writer: they count only if the writer is marked
//! as read, and the first reader after a writer clears the others. The cost is O(1), but O(lanes) for the first reader
//! after a writer, and for a writer after readers.
//!
//! Records whose addresses have the same hash share a row, so an event sometimes waits without need.

use core::ptr::NonNull;

use crate::base::footprint::Use;
use crate::base::hash::spread;
use schedule::internal::prefetch_line;

/// Maximum number of lanes. With more lanes the dispatcher would do nothing but let events arrive. The row of a record
/// fits in a cache line.
pub(crate) const MOST_LANES: usize = 7;

/// Words in a cache line.
const N_WORDS: usize = 8;

/// The number of events that each lane must complete, by lane.
pub(crate) type Until = [u64; N_WORDS];

/// See the module.
#[derive(Debug)]
pub(crate) struct LaneTails {
    /// Rows, each within one cache line: the last writer, and for each lane its number of completed events when the
    /// last reader is completed. The readers count only if the writer is marked as read.
    lines: Box<[CacheLine]>,
    n_lanes: usize,
    /// The bits of a spread address from `line_shift` on are the index of the line. `first_mask` selects bits of its
    /// upper half that determine where the row begins in the line.
    line_shift: u32,
    first_mask: u64,
}

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct CacheLine([u64; N_WORDS]);

/// An event in a lane, or no event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneTail(u64);

impl LaneTail {
    pub(crate) const NONE: Self = Self(0);
    /// Number of bits of the lane.
    const BITS: u32 = 3;
    /// The mark of a writer: a later event has read the record.
    const WAS_READ: u64 = 1 << Self::BITS;

    /// Creates the tail of an event. When the event is completed, its lane has completed `end` events.
    #[inline(always)]
    pub(crate) fn new(lane: usize, end: u64) -> Self {
        Self(end << (1 + Self::BITS) | lane as u64)
    }

    #[inline(always)]
    pub(crate) fn lane(self) -> usize {
        self.0 as usize % (1 << Self::BITS)
    }

    #[inline(always)]
    pub(crate) fn end(self) -> u64 {
        self.0 >> (1 + Self::BITS)
    }
}

const _: () = assert!(MOST_LANES < 1 << LaneTail::BITS && MOST_LANES < N_WORDS);

impl LaneTails {
    /// Creates the table. `n_rows` is a power of two.
    pub(crate) fn new(n_rows: usize, n_lanes: usize) -> Self {
        assert!(n_lanes <= MOST_LANES, "too many lanes");
        let n_words = (1 + n_lanes).next_power_of_two();
        let n_lines = (n_rows * n_words / N_WORDS).max(2);
        Self {
            lines: vec![CacheLine([0; N_WORDS]); n_lines].into(),
            n_lanes,
            line_shift: 64 - n_lines.trailing_zeros(),
            first_mask: (N_WORDS - n_words) as u64,
        }
    }

    /// Returns the line of the row of a record, and the first word of the row.
    #[inline(always)]
    fn place(&self, address: NonNull<()>) -> (usize, usize) {
        let spread = spread(address);
        let first = spread >> (u64::BITS / 2) & self.first_mask;
        ((spread >> self.line_shift) as usize, first as usize)
    }

    /// Prefetches the row of a record.
    #[inline(always)]
    pub(crate) fn prefetch(&self, address: NonNull<()>) {
        let (line, _) = self.place(address);
        prefetch_line(self.lines.as_ptr().wrapping_add(line).cast());
    }

    /// Raises `until` to the progress of lanes that an event with this access must wait for.
    #[inline(always)]
    pub(crate) fn look(&self, address: NonNull<()>, how: Use, until: &mut Until) {
        let (line, first) = self.place(address);
        let CacheLine(words) = &self.lines[line];
        let writer = LaneTail(words[first % N_WORDS]);
        let until_written = &mut until[writer.lane()];
        *until_written = writer.end().max(*until_written);
        if how == Use::Write && writer.0 & LaneTail::WAS_READ != 0 {
            for (lane, until) in until.iter_mut().enumerate().take(self.n_lanes) {
                *until = words[(first + 1 + lane) % N_WORDS].max(*until);
            }
        }
    }

    /// Records that this event, the last of its lane, uses a record.
    #[inline(always)]
    pub(crate) fn join(&mut self, address: NonNull<()>, how: Use, tail: LaneTail) {
        let (line, first) = self.place(address);
        let CacheLine(words) = &mut self.lines[line];
        if how == Use::Write {
            // The writer waits for all others, so later events only wait for the writer.
            words[first % N_WORDS] = tail.0;
            return;
        }
        let writer = &mut words[first % N_WORDS];
        if *writer & LaneTail::WAS_READ == 0 {
            *writer |= LaneTail::WAS_READ;
            for lane in 0..self.n_lanes {
                words[(first + 1 + lane) % N_WORDS] = 0;
            }
        }
        words[(first + 1 + tail.lane()) % N_WORDS] = tail.end();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use core::ptr::without_provenance_mut;

    use super::*;

    fn until(tails: &LaneTails, record: NonNull<()>, how: Use) -> [u64; 3] {
        let mut until = Until::default();
        tails.look(record, how, &mut until);
        [until[0], until[1], until[2]]
    }

    #[test]
    fn reader_waits_for_the_writer_and_writer_for_all_readers() {
        let mut tails = LaneTails::new(64, 3);
        let record = NonNull::new(without_provenance_mut(48)).unwrap();
        assert_eq!(
            until(&tails, record, Use::Write),
            [0; 3],
            "no event has used it"
        );
        for before in [0, 10] {
            tails.join(record, Use::Write, LaneTail::new(1, before + 3));
            assert_eq!(until(&tails, record, Use::Read), [0, before + 3, 0]);
            assert_eq!(until(&tails, record, Use::Write), [0, before + 3, 0]);
            tails.join(record, Use::Read, LaneTail::new(2, before + 5));
            tails.join(record, Use::Read, LaneTail::new(0, before + 2));
            tails.join(record, Use::Read, LaneTail::new(2, before + 7));
            assert_eq!(until(&tails, record, Use::Read), [0, before + 3, 0]);
            let all = [before + 2, before + 3, before + 7];
            assert_eq!(until(&tails, record, Use::Write), all);
        }
        tails.join(record, Use::Write, LaneTail::new(0, 20));
        tails.join(record, Use::Read, LaneTail::new(0, 21));
        let readers = [21, 0, 0];
        assert_eq!(
            until(&tails, record, Use::Write),
            readers,
            "the writer waited for earlier readers"
        );
    }
}
