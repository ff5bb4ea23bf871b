//! Marks of a watched column: when each row was last written, and when it was added.
//!
//! A mark is a value of the [`ChangeClock`] of its component. A system remembers the clock at its last look, and finds the rows whose
//! marks are later. A write of a whole block of rows stores one number, which counts for each row of the block. So it costs the same for
//! any number of rows.
//!
//! Invariant: a row that moves gets the mark that its block gave it. So the number of a block never counts for rows that came later.

use core::fmt;
use core::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of rows of a block, and of the blocks of `for_each` systems.
#[doc(hidden)]
pub const BLOCK_ROWS: usize = 512;

/// The clock when the first watcher of a component looks. Each row has this mark, and a system that has not looked remembers 0.
const FIRST: u64 = 1;

/// The clock of a watched component. It advances with each system, and each other access, that writes the component.
///
/// Systems that do not conflict can advance it at the same time. A system that looks conflicts with all of them, so its answer does
/// not depend on their order.
#[doc(hidden)]
pub struct ChangeClock {
    /// Differs between all clocks of the process. Not 0.
    id: u64,
    now: AtomicU64,
}

impl ChangeClock {
    /// Creates a clock.
    pub fn new() -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        Self {
            // Relaxed: only the number itself must be unique.
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            now: AtomicU64::new(FIRST),
        }
    }

    /// Returns the time of the last write.
    #[inline]
    pub fn now(&self) -> u64 {
        // Relaxed: systems that depend on the value conflict, so their executor orders them.
        self.now.load(Ordering::Relaxed)
    }

    /// Starts a write, and returns its time.
    #[inline]
    pub fn advance(&self) -> u64 {
        // Relaxed: as in `now`.
        self.now.fetch_add(1, Ordering::Relaxed) + 1
    }
}

impl Default for ChangeClock {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ChangeClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChangeClock({})", self.now())
    }
}

/// When a system last looked at a component.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct ChangeMemory {
    /// The clock at which it looked. 0: none.
    clock: u64,
    /// The time of the last look.
    last: u64,
    /// The time of the look before it. Rows with later marks have changed.
    since: u64,
}

impl ChangeMemory {
    /// Looks at a clock. At the first look, all rows have changed.
    #[inline]
    pub fn look(&mut self, clock: &ChangeClock) {
        let is_known = self.clock == clock.id;
        *self = Self {
            clock: clock.id,
            last: clock.now(),
            since: if is_known { self.last } else { 0 },
        };
    }

    /// Returns the time before the last look. Rows with later marks have changed.
    #[inline]
    pub fn since(&self) -> u64 {
        self.since
    }
}

/// The marks of a row.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct RowMarks {
    /// When the component was last written.
    pub changed: u64,
    /// When the entity got the component.
    pub added: u64,
}

/// The marks of one component in one table.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct ColumnMarks {
    /// `changed[row]`: when the row was last written by itself.
    changed: Vec<AtomicU64>,
    /// `added[row]`: when the entity got the component.
    added: Vec<u64>,
    /// `blocks[row / BLOCK_ROWS]`: those of the block of the row.
    blocks: Vec<BlockMarks>,
}

/// The marks of a block of rows.
#[derive(Debug, Default)]
struct BlockMarks {
    /// When all rows of the block were last written together.
    written: AtomicU64,
    /// No row of the block has a later mark of a change.
    latest: AtomicU64,
    /// No row of the block was added later.
    latest_added: u64,
}

impl ColumnMarks {
    /// Creates the marks of a column when it is watched first.
    pub fn new(n_rows: usize) -> Self {
        let mut marks = Self::default();
        let first = RowMarks {
            changed: FIRST,
            added: FIRST,
        };
        marks.reserve(n_rows);
        for _ in 0..n_rows {
            marks.push(first);
        }
        marks
    }

    /// Returns the number of rows.
    pub fn n_rows(&self) -> usize {
        self.changed.len()
    }

    /// Marks rows that are written together. O(blocks).
    #[inline]
    pub fn mark_rows(&self, rows: Range<usize>, now: u64) {
        if rows.is_empty() {
            return;
        }
        let (first, end) = (rows.start / BLOCK_ROWS, rows.end.div_ceil(BLOCK_ROWS));
        for (block, marks) in (first..end).zip(&self.blocks[first..end]) {
            let start = block * BLOCK_ROWS;
            let all = start..(start + BLOCK_ROWS).min(self.n_rows());
            marks.latest.store(now, Ordering::Relaxed);
            if rows.start <= all.start && all.end <= rows.end {
                marks.written.store(now, Ordering::Relaxed);
            } else {
                let part = all.start.max(rows.start)..all.end.min(rows.end);
                for row in &self.changed[part] {
                    row.store(now, Ordering::Relaxed);
                }
            }
        }
    }

    /// Notes that single rows of these may be marked until the clock advances again. O(blocks).
    #[inline]
    pub fn expect_marks(&self, rows: Range<usize>, now: u64) {
        if rows.is_empty() {
            return;
        }
        let blocks = rows.start / BLOCK_ROWS..rows.end.div_ceil(BLOCK_ROWS);
        for marks in &self.blocks[blocks] {
            marks.latest.store(now, Ordering::Relaxed);
        }
    }

    /// Marks one row.
    #[inline]
    pub fn mark_row(&self, row: usize, now: u64) {
        self.changed[row].store(now, Ordering::Relaxed);
        self.blocks[row / BLOCK_ROWS]
            .latest
            .store(now, Ordering::Relaxed);
    }

    /// Returns the marks of changes by row, to store the time of a write. [`expect_marks`](Self::expect_marks) was called for it.
    #[inline]
    pub fn changed(&self) -> &[AtomicU64] {
        &self.changed
    }

    /// Returns the marks of a row.
    #[inline]
    pub fn get(&self, row: usize) -> RowMarks {
        let by_block = self.blocks[row / BLOCK_ROWS]
            .written
            .load(Ordering::Relaxed);
        RowMarks {
            changed: self.changed[row].load(Ordering::Relaxed).max(by_block),
            added: self.added[row],
        }
    }

    /// Whether rows of a block may have been written later than `since`.
    #[inline]
    pub fn may_have_changed(&self, block: usize, since: u64) -> bool {
        self.blocks[block].latest.load(Ordering::Relaxed) > since
    }

    /// Whether all rows of a block have certainly been written later than `since`.
    #[inline]
    pub fn all_have_changed(&self, block: usize, since: u64) -> bool {
        self.blocks[block].written.load(Ordering::Relaxed) > since || since == 0
    }

    /// Whether all rows of a block have certainly been added later than `since`.
    #[inline]
    pub fn all_have_added(&self, _block: usize, since: u64) -> bool {
        since == 0
    }

    /// Whether rows of a block may have been added later than `since`.
    #[inline]
    pub fn may_have_added(&self, block: usize, since: u64) -> bool {
        self.blocks[block].latest_added > since
    }

    /// Reserves memory for more rows.
    pub fn reserve(&mut self, n_more: usize) {
        self.changed.reserve(n_more);
        self.added.reserve(n_more);
        let n_blocks = (self.n_rows() + n_more).div_ceil(BLOCK_ROWS);
        self.blocks
            .reserve(n_blocks.saturating_sub(self.blocks.len()));
    }

    /// Adds a row.
    pub fn push(&mut self, row: RowMarks) {
        let block = self.n_rows() / BLOCK_ROWS;
        if block == self.blocks.len() {
            self.blocks.push(BlockMarks::default());
        }
        if *self.blocks[block].written.get_mut() > row.changed {
            self.materialise(block);
        }
        self.changed.push(AtomicU64::new(row.changed));
        self.added.push(row.added);
        self.blocks[block].raise(row);
    }

    /// Removes a row, and moves the last row there. Returns the marks of the removed row. O(1), or O(rows of a block) for the first time
    /// after the block was written as a whole.
    pub fn swap_remove(&mut self, row: usize) -> RowMarks {
        let last = self.n_rows() - 1;
        let (removed, moved) = (self.get(row), self.get(last));
        let block = row / BLOCK_ROWS;
        if row != last && *self.blocks[block].written.get_mut() > moved.changed {
            self.materialise(block);
        }
        self.changed.swap_remove(row);
        self.added.swap_remove(row);
        if row != last {
            *self.changed[row].get_mut() = moved.changed;
            self.blocks[block].raise(moved);
        }
        self.blocks.truncate(last.div_ceil(BLOCK_ROWS));
        removed
    }

    /// Removes all rows. Keeps the memory.
    pub fn clear(&mut self) {
        self.changed.clear();
        self.added.clear();
        self.blocks.clear();
    }

    /// Moves all rows: `by_row[new_row]` is the row before. O(rows).
    pub fn reorder(&mut self, by_row: &[u32]) {
        let mut reordered = Self::default();
        reordered.reserve(by_row.len());
        for row in by_row {
            reordered.push(self.get(*row as usize));
        }
        *self = reordered;
    }

    /// Gives each row of a block the mark that the block gives it.
    #[cold]
    fn materialise(&mut self, block: usize) {
        let by_block = core::mem::take(self.blocks[block].written.get_mut());
        let end = (block * BLOCK_ROWS + BLOCK_ROWS).min(self.n_rows());
        for row in &mut self.changed[block * BLOCK_ROWS..end] {
            let row = row.get_mut();
            *row = by_block.max(*row);
        }
    }
}

impl BlockMarks {
    /// Includes the marks of a row.
    #[inline]
    fn raise(&mut self, row: RowMarks) {
        let latest = self.latest.get_mut();
        *latest = row.changed.max(*latest);
        self.latest_added = row.added.max(self.latest_added);
    }
}

/// The marks of a column, and the clock of its component.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct WatchedMarks<'s> {
    /// The clock.
    pub clock: &'s ChangeClock,
    /// The marks.
    pub column: &'s ColumnMarks,
}

// Safe code, and too many rows for Miri.
#[cfg(all(test, not(miri)))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Step {
        Push,
        SwapRemove(usize),
        Row(usize),
        Rows(usize, usize),
        Rotate(usize),
        Clear,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            3 => Just(Step::Push),
            4 => any::<usize>().prop_map(Step::SwapRemove),
            3 => any::<usize>().prop_map(Step::Row),
            3 => (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Step::Rows(a, b)),
            1 => any::<usize>().prop_map(Step::Rotate),
            1 => Just(Step::Clear),
        ]
    }

    proptest! {
        #[test]
        fn marks_of_blocks_give_each_row_the_mark_of_its_last_write(
            n_rows in 0..3 * BLOCK_ROWS,
            steps in prop::collection::vec(step(), 0..40),
        ) {
            let mut marks = ColumnMarks::new(n_rows);
            let mut model = vec![(FIRST, FIRST); n_rows];
            for (now, step) in (FIRST + 1..).zip(steps) {
                let n = model.len();
                match step {
                    Step::Push => {
                        marks.push(RowMarks { changed: now, added: now });
                        model.push((now, now));
                    }
                    Step::SwapRemove(row) if n > 0 => {
                        let removed = marks.swap_remove(row % n);
                        let expected = model.swap_remove(row % n);
                        prop_assert_eq!((removed.changed, removed.added), expected);
                    }
                    Step::Row(row) if n > 0 => {
                        marks.mark_row(row % n, now);
                        model[row % n].0 = now;
                    }
                    Step::Rows(a, b) if n > 0 => {
                        let (a, b) = (a % n, b % n + 1);
                        // Whole blocks as often as parts.
                        let a = if b % 2 == 0 { a / BLOCK_ROWS * BLOCK_ROWS } else { a };
                        let rows = a.min(b)..if b % 3 == 0 { n } else { b.max(a) };
                        marks.mark_rows(rows.clone(), now);
                        model[rows].iter_mut().for_each(|row| row.0 = now);
                    }
                    Step::Rotate(by) if n > 0 => {
                        let mut by_row: Vec<u32> = (0..n as u32).collect();
                        by_row.rotate_left(by % n);
                        by_row[n / 2..].reverse();
                        marks.reorder(&by_row);
                        model = by_row.iter().map(|row| model[*row as usize]).collect();
                    }
                    Step::Clear => {
                        marks.clear();
                        model.clear();
                    }
                    _ => {}
                }
                prop_assert_eq!(marks.n_rows(), model.len());
                for (row, &(changed, added)) in model.iter().enumerate() {
                    let found = marks.get(row);
                    prop_assert_eq!((found.changed, found.added), (changed, added), "row {}", row);
                    let block = row / BLOCK_ROWS;
                    prop_assert!(!marks.all_have_changed(block, changed));
                    prop_assert!(marks.may_have_changed(block, changed - 1));
                    prop_assert!(marks.may_have_added(block, added - 1));
                }
            }
        }
    }
}
