//! Blocks: the units in which `for_each` systems run.
//!
//! A block is a number of consecutive rows of one table. Several threads can run the blocks of a system at the same time. What
//! blocks record is joined in the order of the blocks. Their length is fixed, so the result depends neither on the machine, nor on
//! the executor, nor on the number of threads.
#![expect(
    unsafe_code,
    reason = "its methods pass on the conditions of `Fetch::fetch`"
)]

use core::ops::Range;

use super::kernels::Kernels;
use crate::data::output::BoxError;
use crate::data::param::FetchFrom;

/// The number of rows of a block. The last block of a table can be shorter.
pub(crate) const BLOCK_ROWS: usize = crate::data::entity::BLOCK_ROWS;

/// The blocks of a table that matches and has rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableBlocks {
    /// The number of the table in its store.
    pub(crate) table: usize,
    /// Not 0.
    pub(crate) n_rows: usize,
    /// The number of the first block.
    pub(crate) first_block: usize,
}

impl TableBlocks {
    /// Returns the numbers of the blocks.
    #[inline]
    pub(crate) fn blocks(&self) -> Range<usize> {
        let n_blocks = self.n_rows.div_ceil(BLOCK_ROWS);
        self.first_block..self.first_block + n_blocks
    }

    /// Returns the rows of those of the blocks that are also in `blocks`, which contains at least one of them.
    #[inline]
    pub(crate) fn rows_of(&self, blocks: &Range<usize>) -> Range<usize> {
        let from = blocks.start.saturating_sub(self.first_block);
        let to = blocks.end - self.first_block;
        from * BLOCK_ROWS..to.saturating_mul(BLOCK_ROWS).min(self.n_rows)
    }
}

/// Returns the number of blocks in all of these tables.
#[inline]
pub(crate) fn n_blocks(tables: &[TableBlocks]) -> usize {
    tables.last().map_or(0, |last| last.blocks().end)
}

/// The blocks of a system in one run. They are numbered from 0: table by table in the order of the store, and by row.
pub(crate) trait Blocks: Sync {
    /// The tables that match and have rows, in the order of the store.
    fn tables(&self) -> &[TableBlocks];

    /// Adds the loop over the rows, in the first table. Adds none if no table has rows.
    fn add_kernel<'a>(&'a self, kernels: &mut Kernels<'_, 'a>);
}

/// A system that runs in blocks.
pub(crate) trait RunBlocks {
    /// The number of rows in the last run. `None` before the first run.
    fn n_rows(&mut self) -> Option<usize>;

    /// Fetches the parameters, and calls `run_all` with the blocks of this run. `run_all` runs each of them once.
    ///
    /// If `run_all` returns true, the records of the blocks are taken in the order of the blocks. Otherwise, or if `run_all` panics, they are
    /// dropped, and the failures of the function as well.
    ///
    /// # Errors
    ///
    /// If `run_all` returns true, but the function failed for an entity, returns the same error as a serial run: the failure of the
    /// first entity, and the number of all failures. The records are then dropped.
    ///
    /// # Panics
    ///
    /// Panics if `run_all` panics, or if taking the records panics.
    ///
    /// # Safety
    ///
    /// The conditions of [`Fetch::fetch`](crate::param::Fetch::fetch) hold.
    unsafe fn with_blocks(
        &mut self,
        from: FetchFrom<'_>,
        run_all: &mut dyn FnMut(&dyn Blocks) -> bool,
    ) -> Result<(), BoxError>;
}
