//! The loop over the entities of blocks.
//!
//! Invariant: an [`EachBlocks`] exists only while `run_all` of [`RunBlocks::with_blocks`](super::RunBlocks::with_blocks) runs, so the
//! invariant of [`for_each`](super) holds. `columns` are the current ones of `tables` in `store`.
#![expect(unsafe_code, reason = "gets the items of rows")]

use core::ops::Range;

use super::EachFn;
use super::records::RunRecords;
use crate::base::user_value::UserValue;
use crate::data::entity::{EachFetch, EntityFilter, EntityTables, ForEachError, SharedResources};
use crate::systems::system::blocks::{BLOCK_ROWS, Blocks, TableBlocks, n_blocks};

/// The blocks of one run of a system with the filter `F`.
pub(super) struct EachBlocks<
    's,
    S: EntityTables,
    F: EntityFilter<S>,
    P: EachFetch<S>,
    R: SharedResources,
    G,
> {
    pub(super) store: &'s S,
    pub(super) shared: P::Shared<'s>,
    pub(super) resources: R::Shared<'s>,
    pub(super) tables: &'s [TableBlocks],
    /// `columns[i]`: the addresses of `tables[i]`.
    pub(super) columns: &'s [P::Columns],
    /// Whether a parameter writes a watched component.
    pub(super) is_marked: bool,
    /// `filters[i]`: the marks of `tables[i]`. Empty if the filter matches whole tables.
    pub(super) filters: &'s [F::Rows],
    pub(super) records: &'s RunRecords<'s, P::Block, S::Entity>,
    pub(super) each: G,
}

impl<S, F, P, R, G> EachBlocks<'_, S, F, P, R, G>
where
    S: EntityTables,
    F: EntityFilter<S>,
    P: EachFetch<S>,
    R: SharedResources,
    G: EachFn<S, P, R>,
{
    /// Runs the function for the rows of these blocks, with the same records. Adds the failures to `failed`.
    ///
    /// `of_thread`: the accumulators of this thread, if there are any.
    ///
    /// `idx`: the index of the table of the first block. Returns the index of the table that contains the block after the last one.
    ///
    /// # Safety
    ///
    /// These blocks exist, and no other call runs one of them at the same time.
    #[inline]
    unsafe fn run_together(
        &self,
        mut idx: usize,
        blocks: Range<usize>,
        of_thread: &mut Option<UserValue<P::Block>>,
        failed: &mut Option<ForEachError<S::Entity>>,
    ) -> usize {
        // SAFETY: this call runs the block, and the caller guarantees that no other call does.
        let reused = unsafe { self.records.reuse(blocks.start) };
        let records = reused.unwrap_or_else(|| P::begin_block(self.shared));
        let mut records = UserValue::new(records);
        if let Some(of_thread) = of_thread {
            P::swap_accumulators(&mut records, of_thread);
        }
        loop {
            let table = &self.tables[idx];
            let rows = table.rows_of(&blocks);
            if F::IS_PER_ROW {
                // SAFETY: the rows are those of blocks of this table that the caller gave.
                unsafe { self.run_matching(idx, rows, &mut records, failed) };
            } else {
                // SAFETY: as above.
                unsafe { self.run_rows(idx, rows, &mut records, failed) };
            }
            let end = table.blocks().end;
            idx += usize::from(end <= blocks.end);
            if end >= blocks.end {
                break;
            }
        }
        if let Some(of_thread) = of_thread {
            P::swap_accumulators(&mut records, of_thread);
        }
        // SAFETY: as for `reuse`.
        unsafe { self.records.put(blocks.start, records.into_inner()) };
        idx
    }

    /// Runs the function for those of the rows of `tables[idx]` that the filter matches. Adds the failures to `failed`.
    ///
    /// # Safety
    ///
    /// As for [`run_rows`](Self::run_rows). The rows begin with the first one of a block.
    unsafe fn run_matching(
        &self,
        idx: usize,
        rows: Range<usize>,
        records: &mut P::Block,
        failed: &mut Option<ForEachError<S::Entity>>,
    ) {
        let filter = self.filters[idx];
        // The last rows that match, which have not run.
        let mut matching = rows.start..rows.start;
        for first in rows.clone().step_by(BLOCK_ROWS) {
            let block = first / BLOCK_ROWS;
            let end = rows.end.min(first + BLOCK_ROWS);
            // SAFETY: by the invariant, the marks are those of the table, and the caller guarantees that it has the block.
            if !unsafe { F::can_match(filter, block) } {
                continue;
            }
            // SAFETY: as above.
            if matching.end == first && unsafe { F::matches_all(filter, block) } {
                matching.end = end;
                continue;
            }
            for row in first..end {
                // SAFETY: as above, of the row.
                if !unsafe { F::matches_row(filter, row) } {
                    continue;
                }
                if matching.end < row {
                    // SAFETY: the conditions are the same.
                    unsafe { self.run_rows(idx, matching, records, failed) };
                    matching = row..row;
                }
                matching.end = row + 1;
            }
        }
        // SAFETY: the conditions are the same.
        unsafe { self.run_rows(idx, matching, records, failed) };
    }

    /// Runs the function for some rows of `tables[idx]`. Adds the failures to `failed`.
    ///
    /// # Safety
    ///
    /// The table has these rows. No other call runs one of them at the same time.
    #[inline(always)]
    unsafe fn run_rows(
        &self,
        idx: usize,
        rows: Range<usize>,
        records: &mut P::Block,
        failed: &mut Option<ForEachError<S::Entity>>,
    ) {
        let table = self.store.table(self.tables[idx].table);
        // Local copies, so that the compiler sees that no item changes an address.
        let (columns, shared, resources) = (self.columns[idx], self.shared, self.resources);
        if self.is_marked {
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
            if let Err(error) = (self.each)(item, R::get(resources)) {
                ForEachError::add(failed, || S::entity(table, row), error);
            }
        }
    }
}

impl<S, F, P, R, G> Blocks for EachBlocks<'_, S, F, P, R, G>
where
    S: EntityTables,
    F: EntityFilter<S>,
    P: EachFetch<S>,
    R: SharedResources,
    G: EachFn<S, P, R>,
{
    fn tables(&self) -> &[TableBlocks] {
        self.tables
    }

    unsafe fn run(&self, blocks: Range<usize>) {
        assert!(
            blocks.end <= n_blocks(self.tables),
            "the system has no such block"
        );
        if blocks.is_empty() {
            return;
        }
        let mut failed = UserValue::new(None);
        let mut idx = match blocks.start {
            0 => 0,
            first => {
                let is_before = |table: &TableBlocks| table.blocks().end <= first;
                self.tables.partition_point(is_before)
            }
        };
        let mut of_thread = None;
        if P::HAS_ACCUMULATORS {
            let taken = self.records.accumulators().take();
            of_thread = Some(taken.unwrap_or_else(|| UserValue::new(P::begin_block(self.shared))));
        }
        if P::IS_PER_BLOCK {
            for block in blocks.clone() {
                // SAFETY: the block exists, and the caller guarantees the rest.
                idx = unsafe {
                    self.run_together(idx, block..block + 1, &mut of_thread, &mut failed)
                };
            }
        } else {
            // SAFETY: the blocks exist, and the caller guarantees the rest.
            unsafe { self.run_together(idx, blocks.clone(), &mut of_thread, &mut failed) };
        }
        if let Some(of_thread) = of_thread {
            self.records.accumulators().put(of_thread);
        }
        if let Some(failed) = failed.into_inner() {
            self.records.fail(blocks.start, failed);
        }
    }
}
