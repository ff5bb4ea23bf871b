//! The blocks of a system in one run.
//!
//! Invariant: an [`EachBlocks`] exists only while `run_all` of [`RunBlocks::with_blocks`](super::RunBlocks::with_blocks) runs, so the
//! invariant of [`for_each`](super) holds. `columns` are the current ones of `tables` in `store`.

use super::EachFn;
use super::each_kernel::EachKernel;
use super::records::RunRecords;
use crate::data::entity::{EachFetch, EntityFilter, EntityTables, SharedResources};
use crate::systems::system::blocks::{Blocks, TableBlocks};
use crate::systems::system::kernels::Kernels;

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
    /// `filters[i]`: the marks of `tables[i]`. Empty if the filter matches whole tables.
    pub(super) filters: &'s [F::Rows],
    pub(super) records: &'s RunRecords<'s, P::Block, S::Entity>,
    pub(super) each: G,
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

    fn add_kernel<'a>(&'a self, kernels: &mut Kernels<'_, 'a>) {
        if let Some(kernel) = EachKernel::new(self) {
            kernels.add(kernel);
        }
    }
}
