//! Divides the rows of a sweep into chunks.
//!
//! A chunk is a number of whole blocks, which one thread runs. It is short enough that the columns of its rows stay in the second-level
//! cache until the next sweep. It is long enough that taking it costs little. Chunks that are taken last are shorter, so that threads end
//! at about the same time.
//!
//! All members run on a strip of a chunk before the next strip. The columns of a strip fit the first-level cache. Results do not
//! depend on the lengths of chunks and strips.

use core::ops::Range;
use core::time::Duration;

use crate::systems::system::{BLOCK_ROWS, TableBlocks};

/// The maximum number of rows of a chunk.
const MOST_ROWS: usize = 4_096;

/// The maximum size in bytes of the columns of a chunk. The smallest second-level caches of processors in use have this size. Others have up
/// to 2 MiB, but threads can share them.
const MOST_BYTES: u64 = 256 << 10;

/// The maximum size in bytes of the columns of a strip: three quarters of the smallest first-level caches of processors in use.
const STRIP_BYTES: u64 = 24 << 10;

/// The minimum number of rows of a strip. Starting the loop of a member costs as much as one or two rows.
const LEAST_STRIP_ROWS: usize = 64;

/// Nanoseconds: the time that a chunk should take, if threads share the sweep. Rows that take longer are in shorter chunks.
pub(crate) const CHUNK_NS: f64 = 30_000.0;

/// Nanoseconds: below this time, a sweep is not shared, because waking another thread takes longer.
pub(crate) const LEAST_SHARED_NS: f64 = 10_000.0;

/// Nanoseconds per row, before a sweep is measured.
const FIRST_NS_PER_ROW: f64 = 5.0;

/// The weight of the last run in the average time of a row.
const WEIGHT: f64 = 0.25;

/// The number of small runs between two whose time is measured. Reading the clock takes as long as a few rows of several systems.
const UNTIMED_RUNS: u32 = 15;

/// A position between two blocks of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    /// The number of the table.
    pub(crate) table: usize,
    /// The number of the block in the table.
    pub(crate) block: usize,
}

/// The memory for the chunks of a sweep, which is reused, and the time of its rows.
#[derive(Debug)]
pub(crate) struct ChunkMemory {
    /// The maximum number of rows of a chunk whose columns fit the cache, at most [`MOST_ROWS`].
    most_rows: usize,
    /// The number of rows of a strip. It divides [`BLOCK_ROWS`].
    strip_rows: usize,
    /// The tables that a member matches, with their numbers of rows.
    tables: Vec<(usize, usize)>,
    /// Chunk i is from `bounds[i]` to `bounds[i + 1]`.
    bounds: Vec<Position>,
    /// The number of blocks of each chunk.
    sizes: Vec<usize>,
    /// The number of chunks that the caller takes first.
    n_front: usize,
    n_rows: usize,
    /// Nanoseconds for a row, of all members together. `None` before the first run.
    ns_per_row: Option<f64>,
    /// The number of small runs before the next one whose time is measured.
    n_untimed: u32,
}

/// The chunks of a sweep in one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunks<'a> {
    tables: &'a [(usize, usize)],
    bounds: &'a [Position],
    strip_rows: usize,
    n_front: usize,
    /// Nanoseconds that the sweep takes on one thread, as measured before.
    expected_ns: f64,
}

impl ChunkMemory {
    /// `row_bytes`: the size of all components of an entity that a member accesses, in bytes.
    pub(crate) fn new(row_bytes: u64) -> Self {
        let most_rows = (MOST_BYTES / row_bytes.max(1)) as usize;
        let strip_rows = (STRIP_BYTES / row_bytes.max(1)) as usize;
        let strip_rows = strip_rows.clamp(LEAST_STRIP_ROWS, BLOCK_ROWS);
        Self {
            most_rows: most_rows.clamp(BLOCK_ROWS, MOST_ROWS),
            // The greatest power of two up to this number.
            strip_rows: 1 << strip_rows.ilog2(),
            tables: Vec::new(),
            bounds: Vec::new(),
            sizes: Vec::new(),
            n_front: 0,
            n_rows: 0,
            ns_per_row: None,
            n_untimed: 0,
        }
    }

    /// Whether the members should run one after the other, if no member had more rows in the last run. `n_threads`: the number of threads
    /// that can take part.
    pub(crate) fn is_small(&self, n_rows: usize, n_threads: usize) -> bool {
        let fits_cache = n_rows <= self.most_rows;
        match n_threads {
            1 => fits_cache,
            _ => fits_cache && self.ns(n_rows) <= LEAST_SHARED_NS,
        }
    }

    /// Whether the time of the small run that begins is measured. A run on one thread does not depend on the time.
    pub(crate) fn times_small(&mut self, n_threads: usize) -> bool {
        if n_threads == 1 {
            return false;
        }
        let is_timed = self.n_untimed == 0;
        self.n_untimed = if is_timed {
            UNTIMED_RUNS
        } else {
            self.n_untimed - 1
        };
        is_timed
    }

    /// Nanoseconds: the expected time of this many rows on one thread.
    fn ns(&self, n_rows: usize) -> f64 {
        self.ns_per_row.unwrap_or(FIRST_NS_PER_ROW) * n_rows as f64
    }

    /// Divides the rows of the members. `tables()`: the tables of each member. O(members × tables × log(members × tables) + chunks).
    pub(crate) fn divide<'t, I>(&mut self, tables: impl Fn() -> I, n_threads: usize) -> Chunks<'_>
    where
        I: Iterator<Item = &'t [TableBlocks]>,
    {
        self.tables.clear();
        let mut members = tables();
        let first = members.next().unwrap_or_default();
        let of_first = first.iter().map(|one| (one.table, one.n_rows));
        self.tables.extend(of_first);
        let mut is_sorted = true;
        for of_member in members.filter(|of_member| *of_member != first) {
            let of_member = of_member.iter().map(|one| (one.table, one.n_rows));
            self.tables.extend(of_member);
            is_sorted = false;
        }
        if !is_sorted {
            self.tables.sort_unstable();
            self.tables.dedup();
        }
        self.n_rows = self.tables.iter().map(|&(_, n_rows)| n_rows).sum();
        let ns_per_row = self.ns_per_row.unwrap_or(FIRST_NS_PER_ROW);
        let most_rows = match n_threads {
            1 => self.most_rows,
            _ => self.most_rows.min((CHUNK_NS / ns_per_row) as usize),
        };
        let n_blocks = self
            .tables
            .iter()
            .map(|(_, n_rows)| n_rows.div_ceil(BLOCK_ROWS));
        self.divide_blocks(n_blocks.sum(), (most_rows / BLOCK_ROWS).max(1), n_threads);
        self.bounds.clear();
        let mut sizes = self.sizes.iter();
        // The number of blocks that the current chunk may still take.
        let mut room = 0;
        for &(table, n_rows) in &self.tables {
            let n_blocks = n_rows.div_ceil(BLOCK_ROWS);
            let mut block = 0;
            while block < n_blocks {
                if room == 0 {
                    self.bounds.push(Position { table, block });
                    room = *sizes
                        .next()
                        .expect("the sum of the sizes is that of all tables");
                }
                let taken = room.min(n_blocks - block);
                block += taken;
                room -= taken;
            }
        }
        self.bounds.push(Position {
            table: usize::MAX,
            block: 0,
        });
        Chunks {
            tables: &self.tables,
            bounds: &self.bounds,
            strip_rows: self.strip_rows,
            n_front: self.n_front,
            expected_ns: self.ns(self.n_rows),
        }
    }

    /// Sets the sizes of chunks in blocks, at most `most` each.
    ///
    /// The caller runs the front part, and helpers the back part, each from its first row on, because processors load columns ahead in this
    /// direction. Then each takes chunks from the end of the other part. Chunks become smaller towards the end of a part, as in guided
    /// self-scheduling (Polychronopoulos, Kuck 1987), so that all threads end at about the same time.
    fn divide_blocks(&mut self, n_blocks: usize, most: usize, n_threads: usize) {
        self.sizes.clear();
        let mut divide = |mut left: usize, n_shares: usize| {
            let first = self.sizes.len();
            while left > 0 {
                let size = (left / n_shares).clamp(1, most);
                self.sizes.push(size);
                left -= size;
            }
            first
        };
        if n_threads == 1 {
            divide(n_blocks, 1);
            self.n_front = self.sizes.len();
            return;
        }
        let n_front = n_blocks / n_threads;
        divide(n_front, 2);
        self.n_front = divide(n_blocks - n_front, 2 * (n_threads - 1));
    }

    /// The number of rows in the last division.
    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Learns from a run. `busy`: the time of all threads together.
    pub(crate) fn note_time(&mut self, n_rows: usize, busy: Duration) {
        if n_rows == 0 {
            return;
        }
        let ns = busy.as_nanos() as f64 / n_rows as f64;
        self.ns_per_row = Some(match self.ns_per_row {
            None => ns,
            Some(before) => before + WEIGHT * (ns - before),
        });
    }
}

impl Chunks<'_> {
    /// The number of chunks.
    pub(crate) fn len(self) -> usize {
        self.bounds.len() - 1
    }

    /// Whether other threads should help.
    pub(crate) fn are_worth_sharing(self) -> bool {
        self.len() > 1 && self.expected_ns > LEAST_SHARED_NS
    }

    /// Returns the chunk that is taken as the n-th one from the front. Those of the back part are in reverse, because helpers take numbers
    /// from the back.
    pub(crate) fn nth(self, nth: usize) -> Range<Position> {
        let idx = if nth < self.n_front {
            nth
        } else {
            self.n_front + (self.len() - 1 - nth)
        };
        self.bounds[idx]..self.bounds[idx + 1]
    }

    /// Returns the first rows of a part of a chunk that all members can run before the next rows, and leaves the rest. `None` if it is empty.
    ///
    /// O(log(tables) + tables of these rows).
    pub(crate) fn take_rows(self, part: &mut Range<Position>) -> Option<SweepRows> {
        let Range { start, end } = *part;
        if start >= end {
            return None;
        }
        let mut idx = self
            .tables
            .partition_point(|(table, _)| *table < start.table);
        let mut block = start.block;
        let mut n_taken = 0;
        while let Some(&(table, n_rows)) = self.tables.get(idx) {
            let to = if end.table == table {
                end.block
            } else {
                usize::MAX
            };
            let rows = block * BLOCK_ROWS..to.saturating_mul(BLOCK_ROWS).min(n_rows);
            if n_taken == 0 && rows.len() > self.strip_rows {
                part.start = Position {
                    table: table + 1,
                    block: 0,
                };
                return Some(SweepRows::OfTable { table, rows });
            }
            let first = Position { table, block };
            if first >= end || n_taken + rows.len() > self.strip_rows {
                part.start = first;
                return Some(SweepRows::OfTables(start..part.start.min(end)));
            }
            n_taken += rows.len();
            block = 0;
            idx += 1;
        }
        part.start = end;
        Some(SweepRows::OfTables(start..end))
    }

    /// The number of rows of a strip.
    pub(crate) fn strip_rows(self) -> usize {
        self.strip_rows
    }
}

/// Rows of a chunk.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SweepRows {
    /// More than a strip of one table.
    OfTable {
        /// The number of the table.
        table: usize,
        rows: Range<usize>,
    },
    /// The rows of tables that together have about as many rows as a strip.
    OfTables(Range<Position>),
}

/// Returns the blocks in a range that a member with these tables has. They are numbered as in that member. O(log(tables)).
pub(crate) fn blocks_in(range: &Range<Position>, tables: &[TableBlocks]) -> Range<usize> {
    first_from(range.start, tables)..first_from(range.end, tables)
}

/// Returns the number of the first block at or after a position.
fn first_from(position: Position, tables: &[TableBlocks]) -> usize {
    let idx = tables.partition_point(|one| one.table < position.table);
    match tables.get(idx) {
        Some(one) if one.table == position.table => {
            (one.first_block + position.block).min(one.blocks().end)
        }
        Some(one) => one.first_block,
        None => tables.last().map_or(0, |last| last.blocks().end),
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// The number of chunks of a table, on one thread.
    fn n_chunks(n_rows: usize, row_bytes: u64) -> usize {
        let tables = [TableBlocks {
            table: 0,
            n_rows,
            first_block: 0,
        }];
        let mut memory = ChunkMemory::new(row_bytes);
        let members = || core::iter::once(&tables[..]);
        memory.divide(members, 1).len()
    }

    #[test]
    fn the_columns_of_a_chunk_fit_the_cache() {
        assert_eq!(n_chunks(10 * MOST_ROWS, 0), 10);
        assert_eq!(n_chunks(10 * MOST_ROWS, 64), 10);
        assert_eq!(n_chunks(10 * MOST_ROWS, 128), 20);
        // A chunk is at least one block.
        let n_blocks = 10 * MOST_ROWS / BLOCK_ROWS;
        assert_eq!(n_chunks(10 * MOST_ROWS, 1 << 20), n_blocks);
        assert_eq!(n_chunks(10 * MOST_ROWS, u64::MAX), n_blocks);
    }

    #[test]
    fn chunks_are_shortest_at_the_end_of_a_part() {
        let mut memory = ChunkMemory::new(0);
        let mut sizes = |n_blocks, n_threads| {
            memory.divide_blocks(n_blocks, 8, n_threads);
            assert_eq!(memory.sizes.iter().sum::<usize>(), n_blocks);
            memory.sizes.clone()
        };
        assert_eq!(sizes(20, 1), [8, 8, 4]);
        assert_eq!(sizes(32, 2), [8, 4, 2, 1, 1, 8, 4, 2, 1, 1]);
        assert_eq!(sizes(64, 2)[..3], [8, 8, 8]);
        assert_eq!(sizes(3, 2), [1, 1, 1]);
        assert_eq!(sizes(16, 4), [2, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
        assert_eq!(sizes(0, 2), []);
    }

    #[test]
    fn many_rows_are_never_small() {
        assert!(ChunkMemory::new(64).is_small(MOST_ROWS, 1));
        assert!(!ChunkMemory::new(128).is_small(MOST_ROWS, 1));
    }

    #[test]
    fn the_columns_of_a_strip_fit_the_first_cache() {
        let strip_rows = |row_bytes| ChunkMemory::new(row_bytes).strip_rows;
        assert_eq!([0, 8, 48].map(strip_rows), [BLOCK_ROWS; 3]);
        assert_eq!([49, 96, 97].map(strip_rows), [256, 256, 128]);
        assert_eq!([1_000, u64::MAX].map(strip_rows), [LEAST_STRIP_ROWS; 2]);
        assert!(BLOCK_ROWS.is_multiple_of(LEAST_STRIP_ROWS));
    }

    /// The tables of a store, of which a member matches some.
    fn table_blocks(lengths: &[usize], is_match: impl Fn(usize) -> bool) -> Vec<TableBlocks> {
        let mut first_block = 0;
        let with_rows = lengths
            .iter()
            .enumerate()
            .filter(|(_, n_rows)| **n_rows > 0);
        let matching = with_rows.filter(|(table, _)| is_match(*table));
        let blocks = matching.map(|(table, &n_rows)| {
            let one = TableBlocks {
                table,
                n_rows,
                first_block,
            };
            first_block = one.blocks().end;
            one
        });
        blocks.collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(64)
        })]

        /// Each member gets each of its rows once, and in the chunks of the front and of the back part in order.
        #[test]
        fn chunks_and_strips_contain_each_row_once(
            lengths in vec(prop_oneof![0..20_usize, 0..6_000_usize], 0..12),
            row_bytes in prop_oneof![Just(8_u64), Just(100), Just(5_000)],
            n_threads in 1..4_usize,
            skipped in 1..4_usize,
        ) {
            let members = [
                table_blocks(&lengths, |_| true),
                table_blocks(&lengths, |table| table % 4 != skipped),
            ];
            let mut memory = ChunkMemory::new(row_bytes);
            let chunks = memory.divide(|| members.iter().map(|member| &**member), n_threads);
            for member in &members {
                let mut rows: Vec<(usize, usize)> = Vec::new();
                for nth in 0..chunks.len() {
                    let first = rows.len();
                    let mut rest = chunks.nth(nth);
                    while let Some(taken) = chunks.take_rows(&mut rest) {
                        match taken {
                            SweepRows::OfTable { table, rows: range } => {
                                prop_assert!(range.len() > chunks.strip_rows());
                                if member.iter().any(|one| one.table == table) {
                                    rows.extend(range.map(|row| (table, row)));
                                }
                            }
                            SweepRows::OfTables(range) => {
                                let blocks = blocks_in(&range, member);
                                for one in member {
                                    let of_table = one.blocks();
                                    let from = blocks.start.max(of_table.start);
                                    let to = blocks.end.min(of_table.end);
                                    if from < to {
                                        let range = one.rows_of(&(from..to));
                                        rows.extend(range.map(|row| (one.table, row)));
                                    }
                                }
                            }
                        }
                    }
                    prop_assert!(rows[first..].is_sorted());
                }
                rows.sort_unstable();
                let all = member.iter().flat_map(|one| (0..one.n_rows).map(|row| (one.table, row)));
                prop_assert!(rows.into_iter().eq(all));
            }
        }
    }

    #[test]
    fn both_parts_are_taken_from_their_first_row_on() {
        let tables = table_blocks(&[64 * BLOCK_ROWS], |_| true);
        let mut memory = ChunkMemory::new(64);
        let chunks = memory.divide(|| core::iter::once(&*tables), 2);
        let first_block = |nth: usize| chunks.nth(nth).start.block;
        let last = chunks.len() - 1;
        assert_eq!([first_block(0), first_block(last)], [0, 32]);
        assert_eq!([first_block(1), first_block(last - 1)], [8, 40]);
        // The caller goes on at the end of the back part, and a helper at the end of the front part.
        let n_front = chunks.n_front;
        assert_eq!([first_block(n_front - 1), first_block(n_front)], [31, 63]);
    }
}
