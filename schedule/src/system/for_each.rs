//! Systems that run for each entity, in blocks.
//!
//! Invariant: during a run, the conditions of [`Fetch::fetch`] hold for the state of the system. The state declares the terms and
//! the sources of all parameters. No two of these conflict, and no source writes, because [`Recipe::instantiate`] checks both.
#![expect(
    unsafe_code,
    reason = "passes on the conditions of `Fetch::fetch` to the parameters of each entity"
)]

mod records;
mod tables;
#[cfg(test)]
mod tests;

use core::fmt;
use core::mem::size_of;
use core::ops::Range;
use std::sync::Arc;

use self::records::{Records, RunRecords};
use self::tables::MatchingTables;
use super::blocks::{Blocks, RunBlocks, TableBlocks, n_blocks};
use super::{Instance, Recipe, Run};
use crate::access::{EachAccess, ResourceId};
use crate::entity::{
    Components, EachFetch, EntityFilter, EntityTables, ForEachError, ForEachSeed, SharedResources,
};
use crate::output::BoxError;
use crate::param::{Fetch, FetchFrom, Lookup, Param, Seeds, Settle};
use crate::user_value::UserValue;

/// A function on one entity, with the types of its parameters, and the seeds `R` of its resources.
#[doc(hidden)]
pub struct ForEach<S, F, P, R, G> {
    _types: ForEachSeed<S, F, P>,
    resources: R,
    /// Whether `each` can return an error.
    can_fail: bool,
    each: G,
}

impl<S, F, P, R, G> ForEach<S, F, P, R, G>
where
    S: EntityTables,
    P: EachFetch<S>,
    R: Seeds,
    G: Fn(P::Item<'_>, <R::State as Fetch>::Item<'_>) -> Result<(), BoxError> + Copy,
{
    /// Creates it from a closure that captures nothing.
    pub const fn new(types: ForEachSeed<S, F, P>, resources: R, can_fail: bool, each: G) -> Self {
        Self {
            _types: types,
            resources,
            can_fail,
            each,
        }
    }
}

impl<S, F, P, R, G> Recipe for ForEach<S, F, P, R, G>
where
    S: EntityTables,
    F: EntityFilter<S>,
    P: EachFetch<S>,
    R: Seeds<State: SharedResources>,
    G: EachFn<S, P, R::State>,
{
    /// # Panics
    ///
    /// Panics if two parameters conflict, or if one writes anything except components of the entity. The macros report this at
    /// compile time.
    fn instantiate(&self) -> Instance {
        let state = (Parts::<S, F, P>::SEED.grow(), self.resources.grow());
        let mut access = Instance::access_of(&state);
        let ((store, components, source), resources) = &state;
        // The uses are in the order of the parts.
        let first = Instance::access_of(store).n_uses();
        Arc::make_mut(&mut access).each = Some(EachAccess {
            store: ResourceId::of::<S>(),
            own: first..first + Instance::access_of(components).n_uses(),
            can_fail: self.can_fail,
        });
        assert!(
            !Instance::access_of(source).has_write() && !Instance::access_of(resources).has_write(),
            "a `for_each` system writes only components of the entity"
        );
        let run = ForEachRun::<S, F, P, R::State, G> {
            state,
            tables: MatchingTables::new(),
            records: Records::new(),
            each: self.each,
        };
        Instance::of(Box::new(run), access, None)
    }
}

impl<S, F, P, R, G> fmt::Debug for ForEach<S, F, P, R, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ForEach")
    }
}

/// The function on one entity, whose resources have the states `R`.
#[doc(hidden)]
pub trait EachFn<S: EntityTables, P: EachFetch<S>, R: SharedResources>:
    Fn(P::Item<'_>, R::Item<'_>) -> Result<(), BoxError> + Copy + Send + Sync + 'static
{
}

impl<S, P, R, G> EachFn<S, P, R> for G
where
    S: EntityTables,
    P: EachFetch<S>,
    R: SharedResources,
    G: Fn(P::Item<'_>, R::Item<'_>) -> Result<(), BoxError> + Copy + Send + Sync + 'static,
{
}

type Parts<S, F, P> = (
    &'static S,
    Components<'static, S, <P as EachFetch<S>>::Terms, F>,
    <P as EachFetch<S>>::Source,
);

/// An instance of a [`ForEach`].
struct ForEachRun<S, F, P, R, G>
where
    S: EntityTables,
    F: EntityFilter<S>,
    P: EachFetch<S>,
{
    state: (<Parts<S, F, P> as Param>::State, R),
    tables: MatchingTables<S, P>,
    records: Records<P::Block, S::Entity>,
    each: G,
}

impl<S, F, P, R, G> Run for ForEachRun<S, F, P, R, G>
where
    S: EntityTables,
    F: EntityFilter<S>,
    P: EachFetch<S>,
    R: SharedResources,
    G: EachFn<S, P, R>,
{
    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.state.prepare(lookup);
    }

    unsafe fn run(&mut self, from: FetchFrom<'_>) -> Result<u32, BoxError> {
        let mut run_all = |blocks: &dyn Blocks| {
            // SAFETY: this is the only call.
            unsafe { blocks.run(0..blocks.n_blocks()) };
            true
        };
        // SAFETY: the conditions are the same.
        unsafe { self.with_blocks(from, &mut run_all) }?;
        Ok(1)
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        self.state.settle(settle);
    }

    fn blocks(&mut self) -> Option<&mut dyn RunBlocks> {
        Some(self)
    }
}

impl<S, F, P, R, G> RunBlocks for ForEachRun<S, F, P, R, G>
where
    S: EntityTables,
    F: EntityFilter<S>,
    P: EachFetch<S>,
    R: SharedResources,
    G: EachFn<S, P, R>,
{
    fn n_rows(&self) -> Option<usize> {
        self.tables.n_rows()
    }

    unsafe fn with_blocks(
        &mut self,
        from: FetchFrom<'_>,
        then: &mut dyn FnMut(&dyn Blocks) -> bool,
    ) -> Result<(), BoxError> {
        // SAFETY: `prepare` passes on to the same state, whose access is that of the system. So the guarantees of the caller
        // hold for it.
        let ((store, _, mut source), resources) = unsafe { self.state.fetch(from) };
        let (tables, columns) = self.tables.update::<F>(store);
        let has_records = P::IS_PER_BLOCK || size_of::<P::Block>() > 0;
        let n_slots = if has_records { n_blocks(tables) } else { 0 };
        let mut records = self.records.begin(n_slots);
        let is_kept = then(&EachBlocks {
            store,
            shared: P::share(&mut source),
            resources: R::share(&resources),
            tables,
            columns,
            records: &records,
            each: self.each,
        });
        if !is_kept {
            return Ok(());
        }
        if let Some(failed) = records.take_failure() {
            return Err(failed.into());
        }
        records.take_each(|block| P::end_block(&mut source, block));
        Ok(())
    }
}

/// The blocks of one run.
struct EachBlocks<'s, S: EntityTables, P: EachFetch<S>, R: SharedResources, G> {
    store: &'s S,
    shared: P::Shared<'s>,
    resources: R::Shared<'s>,
    tables: &'s [TableBlocks],
    /// `columns[i]`: those of `tables[i]`.
    columns: &'s [P::Columns],
    records: &'s RunRecords<'s, P::Block, S::Entity>,
    each: G,
}

impl<S, P, R, G> EachBlocks<'_, S, P, R, G>
where
    S: EntityTables,
    P: EachFetch<S>,
    R: SharedResources,
    G: EachFn<S, P, R>,
{
    /// Runs the function for the rows of these blocks, with the same records. Adds the failures to `failed`.
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
        failed: &mut Option<ForEachError<S::Entity>>,
    ) -> usize {
        // SAFETY: this call runs the block, and the caller guarantees that no other call does.
        let reused = unsafe { self.records.reuse(blocks.start) };
        let records = reused.unwrap_or_else(|| P::begin_block(self.shared));
        let mut records = UserValue::new(records);
        loop {
            let table = &self.tables[idx];
            // SAFETY: the rows are those of blocks of this table that the caller gave.
            unsafe { self.run_rows(idx, table.rows_of(&blocks), &mut records, failed) };
            let end = table.blocks().end;
            idx += usize::from(end <= blocks.end);
            if end >= blocks.end {
                break;
            }
        }
        // SAFETY: as for `reuse`.
        unsafe { self.records.put(blocks.start, records.into_inner()) };
        idx
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
        // A loop that counts from 0, because the compiler unrolls it.
        for nth in 0..rows.len() {
            let row = rows.start + nth;
            // SAFETY: the store is borrowed since `columns` was looked up in it, and the caller guarantees that the table has the
            // row. No other call has an item of the row, and the previous item of this call is gone. By the invariant, no other
            // system uses the entity in a way that conflicts, no two parameters conflict, and the source does not write.
            let item = unsafe { P::item(table, columns, shared, records, row) };
            if let Err(error) = (self.each)(item, R::get(resources)) {
                ForEachError::add(failed, || S::entity(table, row), error);
            }
        }
    }
}

impl<S, P, R, G> Blocks for EachBlocks<'_, S, P, R, G>
where
    S: EntityTables,
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
        if P::IS_PER_BLOCK {
            for block in blocks.clone() {
                // SAFETY: the block exists, and the caller guarantees the rest.
                idx = unsafe { self.run_together(idx, block..block + 1, &mut failed) };
            }
        } else {
            // SAFETY: the blocks exist, and the caller guarantees the rest.
            unsafe { self.run_together(idx, blocks.clone(), &mut failed) };
        }
        if let Some(failed) = failed.into_inner() {
            self.records.fail(blocks.start, failed);
        }
    }
}
