//! The loop over the entities of a table, on one thread.
//!
//! Invariant: that of [`EachBlocks`]. `table` and `columns` are those of the table with the index `idx`. While `records` has a value,
//! it is the address of records in the slot of a block that only this kernel runs.
#![expect(unsafe_code, reason = "gets the items of rows")]

use core::ops::Range;
use core::ptr::NonNull;

use super::EachFn;
use super::each_blocks::EachBlocks;
use crate::base::user_value::UserValue;
use crate::data::entity::{
    ColumnAddresses, EachFetch, EntityFilter, EntityTables, ForEachError, SharedResources,
};
use crate::systems::system::blocks::{BLOCK_ROWS, TableBlocks, n_blocks};
use crate::systems::system::kernels::Kernel;

/// The loop of one system with the filter `F`. What each call uses comes first, so that it is in one or two cache lines.
#[repr(C)]
pub(super) struct EachKernel<
    'b,
    's,
    S: EntityTables,
    F: EntityFilter<S>,
    P: EachFetch<S>,
    R: SharedResources,
    G,
> {
    current: EachTable<'b, 's, S, F, P, R, G>,
    /// The records of the last rows, if records are kept.
    records: Option<NonNull<P::Block>>,
    /// The table and the row after the last rows. If the next ones begin there, they have the same records.
    next: (usize, usize),
    /// The accumulators of this thread. `None` before the first rows.
    accumulators: Option<UserValue<P::Block>>,
}

/// The table of a kernel.
#[repr(C)]
struct EachTable<
    'b,
    's,
    S: EntityTables,
    F: EntityFilter<S>,
    P: EachFetch<S>,
    R: SharedResources,
    G,
> {
    columns: <P::Columns as ColumnAddresses>::Values,
    resources: R::Shared<'s>,
    shared: P::Shared<'s>,
    table: S::Table<'s>,
    blocks: &'b EachBlocks<'s, S, F, P, R, G>,
    idx: u32,
    /// Whether the function writes a watched component.
    is_marked: bool,
}

impl<'b, 's, S, F, P, R, G> EachTable<'b, 's, S, F, P, R, G>
where
    S: EntityTables,
    F: EntityFilter<S>,
    P: EachFetch<S>,
    R: SharedResources,
    G: EachFn<S, P, R>,
{
    #[inline]
    fn new(blocks: &'b EachBlocks<'s, S, F, P, R, G>, idx: usize) -> Self {
        let columns = blocks.columns[idx];
        Self {
            columns: columns.values(),
            resources: blocks.resources,
            shared: blocks.shared,
            table: blocks.store.table(blocks.tables[idx].table),
            blocks,
            idx: idx as u32,
            is_marked: P::is_marked(columns),
        }
    }

    #[inline(always)]
    fn idx(&self) -> usize {
        self.idx as usize
    }

    /// Runs the function for those of some rows that the filter matches. Stores the failures.
    ///
    /// # Safety
    ///
    /// As for [`Kernel::run`].
    #[inline(always)]
    unsafe fn run(&self, rows: Range<usize>, records: &mut P::Block) {
        let first = rows.start;
        let mut failed = UserValue::new(None);
        if F::IS_PER_ROW {
            // SAFETY: the conditions are the same.
            unsafe { self.run_matching(rows, records, &mut failed) };
        } else {
            // SAFETY: the conditions are the same.
            unsafe { self.run_rows(rows, records, &mut failed) };
        }
        if let Some(failed) = failed.into_inner() {
            let block = self.blocks.tables[self.idx()].first_block + first / BLOCK_ROWS;
            self.blocks.records.fail(block, failed);
        }
    }

    /// Runs the function for those of some rows that the filter matches. Adds the failures to `failed`.
    ///
    /// # Safety
    ///
    /// As for [`Kernel::run`].
    unsafe fn run_matching(
        &self,
        rows: Range<usize>,
        records: &mut P::Block,
        failed: &mut Option<ForEachError<S::Entity>>,
    ) {
        let filter = self.blocks.filters[self.idx()];
        // The last rows that match, which have not run.
        let mut matching = rows.start..rows.start;
        let mut next = rows.start;
        while next < rows.end {
            let first = next;
            let block = first / BLOCK_ROWS;
            next = rows.end.min((block + 1) * BLOCK_ROWS);
            // SAFETY: by the invariant, the marks are those of the table, and the caller guarantees that it has the block.
            if !unsafe { F::can_match(filter, block) } {
                continue;
            }
            // SAFETY: as above.
            if matching.end == first && unsafe { F::matches_all(filter, block) } {
                matching.end = next;
                continue;
            }
            for row in first..next {
                // SAFETY: as above, of the row.
                if !unsafe { F::matches_row(filter, row) } {
                    continue;
                }
                if matching.end < row {
                    // SAFETY: the conditions are the same.
                    unsafe { self.run_rows(matching, records, failed) };
                    matching = row..row;
                }
                matching.end = row + 1;
            }
        }
        // SAFETY: the conditions are the same.
        unsafe { self.run_rows(matching, records, failed) };
    }

    /// Runs the function for some rows. Adds the failures to `failed`.
    ///
    /// # Safety
    ///
    /// The table has these rows. No other call runs one of them at the same time.
    #[inline(always)]
    unsafe fn run_rows(
        &self,
        rows: Range<usize>,
        records: &mut P::Block,
        failed: &mut Option<ForEachError<S::Entity>>,
    ) {
        // Local copies, so that the compiler sees that no item changes an address.
        let (table, shared, resources) = (self.table, self.shared, self.resources);
        let mut columns = P::Columns::unmarked(self.columns);
        if self.is_marked {
            columns = self.blocks.columns[self.idx()];
            // SAFETY: by the invariant, the columns are those of the table, and the caller guarantees that it has the rows.
            unsafe { P::mark_rows(columns, rows.clone()) };
        }
        // A loop that counts from 0, because the compiler unrolls it.
        for nth in 0..rows.len() {
            let row = rows.start + nth;
            // SAFETY: by the invariant, the columns are those of the table, and the caller guarantees that it has the row. No other call
            // has an item of the row, and the previous item of this call is gone. No other system uses the entity in a way that
            // conflicts, no two parameters conflict, and no source writes.
            let item = unsafe { P::item(table, columns, shared, records, row) };
            if let Err(error) = (self.blocks.each)(item, R::get(resources)) {
                ForEachError::add(failed, || S::entity(table, row), error);
            }
        }
    }
}

impl<'b, 's, S, F, P, R, G> EachKernel<'b, 's, S, F, P, R, G>
where
    S: EntityTables,
    F: EntityFilter<S>,
    P: EachFetch<S>,
    R: SharedResources,
    G: EachFn<S, P, R>,
{
    /// Creates a kernel in the first table. `None` if no table has rows.
    #[inline]
    pub(super) fn new(blocks: &'b EachBlocks<'s, S, F, P, R, G>) -> Option<Self> {
        blocks.tables.first()?;
        Some(Self {
            current: EachTable::new(blocks, 0),
            records: None,
            next: (0, 0),
            accumulators: None,
        })
    }

    /// Runs the function for rows that have the same records.
    ///
    /// # Safety
    ///
    /// As for [`Kernel::run`].
    #[inline(always)]
    unsafe fn run_together(&mut self, rows: Range<usize>) {
        if P::HAS_RECORDS {
            // SAFETY: the caller guarantees that no other call runs the block.
            let mut records = unsafe { self.records_from(rows.clone()) };
            // SAFETY: by the invariant, only this kernel accesses the records.
            let records = unsafe { records.as_mut() };
            // SAFETY: the conditions are the same.
            unsafe { self.current.run(rows, records) };
        } else if P::HAS_ACCUMULATORS {
            let accumulators = own_accumulators(&mut self.accumulators, self.current.blocks);
            // SAFETY: the conditions are the same.
            unsafe { self.current.run(rows, accumulators) };
        } else {
            let mut records = UserValue::new(P::begin_block(self.current.shared));
            // SAFETY: the conditions are the same.
            unsafe { self.current.run(rows, &mut records) };
        }
    }

    /// Returns the records of rows: those of the last rows if these follow, or else those in the slot of their first block.
    ///
    /// # Safety
    ///
    /// No other call runs the block.
    #[inline]
    unsafe fn records_from(&mut self, rows: Range<usize>) -> NonNull<P::Block> {
        let blocks = self.current.blocks;
        let idx = self.current.idx();
        let table = &blocks.tables[idx];
        let follows = self.next == (idx, rows.start);
        self.next = if rows.end == table.n_rows {
            (idx + 1, 0)
        } else {
            (idx, rows.end)
        };
        match self.records {
            Some(records)
                if follows && !(P::IS_PER_BLOCK && rows.start.is_multiple_of(BLOCK_ROWS)) =>
            {
                records
            }
            _ => {
                // SAFETY: the conditions are the same.
                unsafe { self.open(table.first_block + rows.start / BLOCK_ROWS) }
            }
        }
    }

    /// Replaces the records by those in the slot of a block.
    ///
    /// # Safety
    ///
    /// No other call runs the block.
    #[inline]
    unsafe fn open(&mut self, block: usize) -> NonNull<P::Block> {
        self.close();
        let EachTable { blocks, shared, .. } = self.current;
        // SAFETY: the caller guarantees that only this kernel runs the block.
        let mut records = unsafe { blocks.records.open(block, || P::begin_block(shared)) };
        if P::HAS_ACCUMULATORS {
            let accumulators = own_accumulators(&mut self.accumulators, blocks);
            // SAFETY: only this kernel accesses the records.
            P::swap_accumulators(unsafe { records.as_mut() }, accumulators);
        }
        self.records = Some(records);
        records
    }
}

impl<S, F, P, R, G> EachKernel<'_, '_, S, F, P, R, G>
where
    S: EntityTables,
    F: EntityFilter<S>,
    P: EachFetch<S>,
    R: SharedResources,
{
    /// Ends the use of the records. Takes the accumulators of this thread out of them.
    #[inline]
    fn close(&mut self) {
        if let Some(mut records) = self.records.take()
            && let Some(accumulators) = &mut self.accumulators
        {
            // SAFETY: by the invariant, only this kernel accesses the records.
            P::swap_accumulators(unsafe { records.as_mut() }, accumulators);
        }
    }
}

/// Returns the accumulators of this thread. Takes free ones, if it has none.
#[inline]
fn own_accumulators<'k, S, F, P, R, G>(
    accumulators: &'k mut Option<UserValue<P::Block>>,
    blocks: &EachBlocks<'_, S, F, P, R, G>,
) -> &'k mut P::Block
where
    S: EntityTables,
    F: EntityFilter<S>,
    P: EachFetch<S>,
    R: SharedResources,
{
    accumulators.get_or_insert_with(|| {
        let free = blocks.records.accumulators().take();
        free.unwrap_or_else(|| UserValue::new(P::begin_block(blocks.shared)))
    })
}

impl<S, F, P, R, G> Kernel for EachKernel<'_, '_, S, F, P, R, G>
where
    S: EntityTables,
    F: EntityFilter<S>,
    P: EachFetch<S>,
    R: SharedResources,
    G: EachFn<S, P, R>,
{
    #[inline]
    fn enter(&mut self, idx: usize) {
        self.current = EachTable::new(self.current.blocks, idx);
    }

    #[inline]
    unsafe fn run(&mut self, mut rows: Range<usize>) {
        if P::IS_PER_BLOCK {
            let end = rows.end;
            while rows.start < end {
                rows.end = end.min((rows.start / BLOCK_ROWS + 1) * BLOCK_ROWS);
                // SAFETY: the conditions are the same.
                unsafe { self.run_together(rows.clone()) };
                rows.start = rows.end;
            }
        } else {
            // SAFETY: the conditions are the same.
            unsafe { self.run_together(rows) };
        }
    }

    #[inline]
    unsafe fn run_blocks(&mut self, blocks: Range<usize>) {
        let tables = self.current.blocks.tables;
        assert!(
            blocks.end <= n_blocks(tables),
            "the system has no such block"
        );
        if blocks.is_empty() {
            return;
        }
        let mut idx = match blocks.start {
            0 => 0,
            first => {
                let is_before = |table: &TableBlocks| table.blocks().end <= first;
                tables.partition_point(is_before)
            }
        };
        loop {
            let table = &tables[idx];
            if idx != self.current.idx() {
                self.enter(idx);
            }
            // SAFETY: the table has these rows, and the caller guarantees the rest.
            unsafe { self.run(table.rows_of(&blocks)) };
            if table.blocks().end >= blocks.end {
                return;
            }
            idx += 1;
        }
    }
}

/// Gives the accumulators back, so that another thread can join them.
impl<S, F, P, R, G> Drop for EachKernel<'_, '_, S, F, P, R, G>
where
    S: EntityTables,
    F: EntityFilter<S>,
    P: EachFetch<S>,
    R: SharedResources,
{
    #[inline]
    fn drop(&mut self) {
        if P::HAS_ACCUMULATORS {
            self.close();
            if let Some(accumulators) = self.accumulators.take() {
                self.current.blocks.records.accumulators().put(accumulators);
            }
        }
    }
}
