//! Divides the rows of a sweep into chunks.
//!
//! A chunk is a number of whole blocks. It is short enough that the columns of its rows stay in the second-level cache while all members
//! run. It is long enough that taking it costs little. Chunks that are taken last are shorter, so that threads end at about the same time.

use core::ops::Range;
use core::time::Duration;

use crate::systems::system::{BLOCK_ROWS, TableBlocks};

/// The maximum number of rows of a chunk.
const MOST_ROWS: usize = 4_096;

/// The maximum size in bytes of the columns of a chunk. The smallest second-level caches of processors in use have this size. Others have up
/// to 2 MiB, but threads can share them.
const MOST_BYTES: u64 = 256 << 10;

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
struct Position {
    /// The number of the table.
    table: usize,
    /// The number of the block in the table.
    block: usize,
}

/// The memory for the chunks of a sweep, which is reused, and the time of its rows.
#[derive(Debug)]
pub(crate) struct ChunkMemory {
    /// The maximum number of rows of a chunk whose columns fit the cache, at most [`MOST_ROWS`].
    most_rows: usize,
    /// The tables that a member matches, with their numbers of rows.
    tables: Vec<(usize, usize)>,
    /// Chunk i is from `bounds[i]` to `bounds[i + 1]`.
    bounds: Vec<Position>,
    /// The number of blocks of each chunk.
    sizes: Vec<usize>,
    n_rows: usize,
    /// Nanoseconds for a row, of all members together. `None` before the first run.
    ns_per_row: Option<f64>,
    /// The number of small runs before the next one whose time is measured.
    n_untimed: u32,
}

/// The chunks of a sweep in one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunks<'a> {
    bounds: &'a [Position],
    /// Nanoseconds that the sweep takes on one thread, as measured before.
    expected_ns: f64,
}

impl ChunkMemory {
    /// `row_bytes`: the size of all components of an entity that a member accesses, in bytes.
    pub(crate) fn new(row_bytes: u64) -> Self {
        let most_rows = (MOST_BYTES / row_bytes.max(1)) as usize;
        Self {
            most_rows: most_rows.clamp(BLOCK_ROWS, MOST_ROWS),
            tables: Vec::new(),
            bounds: Vec::new(),
            sizes: Vec::new(),
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
            bounds: &self.bounds,
            expected_ns: self.ns(self.n_rows),
        }
    }

    /// Sets the sizes of chunks in blocks, at most `most` each.
    ///
    /// The caller takes chunks from the front, and helpers from the back. Chunks become smaller towards the place where they probably
    /// meet, as in guided self-scheduling (Polychronopoulos, Kuck 1987), so that all threads end at about the same time.
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
            return;
        }
        let n_front = n_blocks / n_threads;
        divide(n_front, 2);
        let first = divide(n_blocks - n_front, 2 * (n_threads - 1));
        self.sizes[first..].reverse();
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

    /// Returns the blocks of a chunk that a member with these tables has. They are numbered as in that member. O(log(tables)).
    pub(crate) fn blocks(self, nth: usize, tables: &[TableBlocks]) -> Range<usize> {
        first_from(self.bounds[nth], tables)..first_from(self.bounds[nth + 1], tables)
    }
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
    fn chunks_are_shortest_where_threads_meet() {
        let mut memory = ChunkMemory::new(0);
        let mut sizes = |n_blocks, n_threads| {
            memory.divide_blocks(n_blocks, 8, n_threads);
            assert_eq!(memory.sizes.iter().sum::<usize>(), n_blocks);
            memory.sizes.clone()
        };
        assert_eq!(sizes(20, 1), [8, 8, 4]);
        assert_eq!(sizes(32, 2), [8, 4, 2, 1, 1, 1, 1, 2, 4, 8]);
        assert_eq!(sizes(64, 2)[..3], [8, 8, 8]);
        assert_eq!(sizes(3, 2), [1, 1, 1]);
        assert_eq!(sizes(16, 4), [2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
        assert_eq!(sizes(0, 2), []);
    }

    #[test]
    fn many_rows_are_never_small() {
        assert!(ChunkMemory::new(64).is_small(MOST_ROWS, 1));
        assert!(!ChunkMemory::new(128).is_small(MOST_ROWS, 1));
    }
}
