//! Who touched each record last, by lane: what the dispatcher knows of the events in lanes.
//!
//! Of a record two things are known: who wrote it last, and for each lane, who read it last there since. A reader
//! waits for that writer, a writer for all of them. As events of a lane are completed in order, each of them is a number, and
//! whoever has gone is one that its lane has passed: nothing has to be taken out. What is there of readers may be older than
//! the writer: it counts if the writer says that it was read since, as the first of them has put the rest right. O(1), but O(lanes)
//! for the first reader after a writer, and for the first writer after a reader.
//!
//! Records whose addresses have the same hash are taken for one, so that now and then an event waits for one that it need
//! not wait for.

use core::ptr::NonNull;

use super::footprint::Use;
use super::hash::spread;
use schedule::internal::prefetch_line;

/// Lanes at most: who lets events arrive is busy with that if there are more. What is known of a record takes no more than a
/// line of the cache.
pub(super) const MOST_LANES: usize = 7;

/// Words of a line of the cache.
const N_WORDS: usize = 8;

/// By lane: how many it has to complete.
pub(super) type Until = [u64; N_WORDS];

/// See the module.
#[derive(Debug)]
pub(super) struct LaneTails {
    /// In rows, of which each is in one line: the last writer, and of each lane, how many it has completed when the last
    /// reader there is. These count if the writer says that it was read.
    lines: Box<[CacheLine]>,
    n_lanes: usize,
    /// Of a spread address, the bits from this one on number the line, and these of the upper half, where a row begins in it.
    line_shift: u32,
    first_mask: u64,
}

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct CacheLine([u64; N_WORDS]);

/// An event in a lane; or nobody, which is in none.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneTail(u64);

impl LaneTail {
    pub(super) const NOBODY: Self = Self(0);
    /// Of the lane.
    const BITS: u32 = 3;
    /// What it wrote was read since.
    const WAS_READ: u64 = 1 << Self::BITS;

    /// When it is completed, its lane has completed so many.
    #[inline(always)]
    pub(super) fn new(lane: usize, end: u64) -> Self {
        Self(end << (1 + Self::BITS) | lane as u64)
    }

    #[inline(always)]
    pub(super) fn lane(self) -> usize {
        self.0 as usize % (1 << Self::BITS)
    }

    #[inline(always)]
    pub(super) fn end(self) -> u64 {
        self.0 >> (1 + Self::BITS)
    }
}

const _: () = assert!(MOST_LANES < 1 << LaneTail::BITS && MOST_LANES < N_WORDS);

impl LaneTails {
    /// Of so many rows, a power of two.
    pub(super) fn new(n_rows: usize, n_lanes: usize) -> Self {
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

    /// In which line the row of a record is, and from which word on.
    #[inline(always)]
    fn place(&self, address: NonNull<()>) -> (usize, usize) {
        let spread = spread(address);
        let first = spread >> (u64::BITS / 2) & self.first_mask;
        ((spread >> self.line_shift) as usize, first as usize)
    }

    /// Asks for the memory of what is known of a record.
    #[inline(always)]
    pub(super) fn prefetch(&self, address: NonNull<()>) {
        let (line, _) = self.place(address);
        prefetch_line(self.lines.as_ptr().wrapping_add(line).cast());
    }

    /// Raises how far lanes have to come to that which it takes to use a record so.
    #[inline(always)]
    pub(super) fn look(&self, address: NonNull<()>, how: Use, until: &mut Until) {
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

    /// This event, the last of its lane, uses a record so.
    #[inline(always)]
    pub(super) fn join(&mut self, address: NonNull<()>, how: Use, tail: LaneTail) {
        let (line, first) = self.place(address);
        let CacheLine(words) = &mut self.lines[line];
        if how == Use::Write {
            // It waits for the others: who waits for it need not know of them.
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
    fn a_reader_waits_for_the_writer_and_a_writer_for_all_since() {
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
