//! Systems that run for each entity, in blocks.
//!
//! Invariant: during a run, the conditions of [`Fetch::fetch`] hold for the state of the system. If several systems run on the same
//! entities, their executor ensures that no two of them use one entity at the same time in a way that conflicts. The state declares
//! the terms and the sources of all parameters. No two of these conflict, and no source writes, because [`Recipe::instantiate`]
//! checks both.
#![expect(
    unsafe_code,
    reason = "passes on the conditions of `Fetch::fetch` to the parameters of each entity"
)]

mod accumulators;
mod each_blocks;
mod each_kernel;
mod records;
mod row_filter;
mod tables;
#[cfg(test)]
mod tests;

use core::fmt;
use std::sync::Arc;

use self::each_blocks::EachBlocks;
use self::each_kernel::EachKernel;
use self::records::Records;
use self::row_filter::RowFilter;
use self::tables::{MatchingColumns, MatchingTables};
use super::blocks::{Blocks, RunBlocks, n_blocks};
use super::kernels::Kernel;
use super::{Instance, Recipe, Runnable};
use crate::data::access::{EachAccess, ResourceId};
use crate::data::entity::{
    Components, EachFetch, EntityFilter, EntityTables, ForEachSeed, SharedResources, StoreRef,
};
use crate::data::output::BoxError;
use crate::data::param::{Fetch, FetchFrom, Lookup, Param, Seeds, Settle};

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
        // The last uses of the components are those of the filter. It reads marks of all entities, so the system shares no sweep with
        // a writer of these components.
        let mut n_filtered = 0;
        F::READS.for_each(&mut |_, _| n_filtered += 1);
        let n_own = Instance::access_of(components).n_uses() - n_filtered;
        Arc::make_mut(&mut access).each = Some(Box::new(EachAccess {
            store: ResourceId::of::<S>(),
            own: first..first + n_own,
            can_fail: self.can_fail,
        }));
        assert!(
            !Instance::access_of(source).has_write() && !Instance::access_of(resources).has_write(),
            "a `for_each` system writes only components of the entity"
        );
        let run = ForEachRun::<S, F, P, R::State, G> {
            state,
            tables: MatchingTables::new(),
            filter: RowFilter::new(),
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
    StoreRef<'static, S>,
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
    filter: RowFilter<S, F>,
    records: Records<P::Block, S::Entity>,
    each: G,
}

impl<S, F, P, R, G> Runnable for ForEachRun<S, F, P, R, G>
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

    unsafe fn run(&mut self, from: FetchFrom<'_>, _: &mut u32) -> Result<(), BoxError> {
        let run_all = |blocks: &EachBlocks<'_, S, F, P, R, G>| {
            if let Some(mut kernel) = EachKernel::new(blocks) {
                // SAFETY: this is the only call.
                unsafe { kernel.run_blocks(0..n_blocks(blocks.tables)) };
            }
            true
        };
        // SAFETY: the conditions are the same.
        unsafe { self.with_each_blocks(from, run_all) }?;
        Ok(())
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        self.filter.settle(settle);
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
    fn n_rows(&mut self) -> Option<usize> {
        self.tables.n_rows()
    }

    unsafe fn with_blocks(
        &mut self,
        from: FetchFrom<'_>,
        run_all: &mut dyn FnMut(&dyn Blocks) -> bool,
    ) -> Result<(), BoxError> {
        // SAFETY: the conditions are the same.
        unsafe { self.with_each_blocks(from, |blocks| run_all(blocks)) }
    }
}

impl<S, F, P, R, G> ForEachRun<S, F, P, R, G>
where
    S: EntityTables,
    F: EntityFilter<S>,
    P: EachFetch<S>,
    R: SharedResources,
    G: EachFn<S, P, R>,
{
    /// See [`RunBlocks::with_blocks`].
    ///
    /// # Safety
    ///
    /// The conditions of [`Fetch::fetch`] hold.
    #[inline]
    unsafe fn with_each_blocks(
        &mut self,
        from: FetchFrom<'_>,
        run_all: impl FnOnce(&EachBlocks<'_, S, F, P, R, G>) -> bool,
    ) -> Result<(), BoxError> {
        // SAFETY: the conditions are the same.
        if !unsafe { self.run_each(from, run_all) }? {
            Runnable::settle(self, &mut Settle::UndoLook);
        }
        Ok(())
    }

    /// Returns whether the records are kept.
    ///
    /// # Safety
    ///
    /// The conditions of [`Fetch::fetch`] hold.
    #[inline]
    unsafe fn run_each(
        &mut self,
        from: FetchFrom<'_>,
        run_all: impl FnOnce(&EachBlocks<'_, S, F, P, R, G>) -> bool,
    ) -> Result<bool, BoxError> {
        // SAFETY: `prepare` passes on to the same state, whose access is that of the system. So the guarantees of the caller
        // hold for it.
        let ((store, _, mut source), resources) = unsafe { self.state.fetch(from) };
        // SAFETY: the function on one entity does not get the store.
        let store = unsafe { store.get() };
        self.filter.look(store);
        let matching = self.tables.update::<F>(store);
        let MatchingColumns {
            tables,
            columns,
            is_marked,
        } = matching;
        if is_marked {
            for columns in &mut *columns {
                // SAFETY: the columns are the current ones of a table in the store.
                unsafe { P::begin_writes(columns) };
            }
        }
        let filters = self.filter.find_rows(store, tables);
        let n_slots = if P::HAS_RECORDS { n_blocks(tables) } else { 0 };
        let mut records = self.records.begin(n_slots);
        if P::HAS_ACCUMULATORS {
            records.accumulators_mut().begin();
        }
        let is_kept = run_all(&EachBlocks {
            store,
            shared: P::share(&mut source),
            resources: R::share(&resources),
            tables,
            columns,
            filters,
            records: &records,
            each: self.each,
        });
        if !is_kept {
            return Ok(false);
        }
        if let Some(failed) = records.take_failure() {
            return Err(failed.into());
        }
        records.take_each(|block| P::end_block(&mut source, block));
        if P::HAS_ACCUMULATORS {
            let end = |joined: &mut P::Block| P::end_accumulators(&mut source, joined);
            records.accumulators_mut().end(P::join_accumulators, end);
        }
        Ok(true)
    }
}
