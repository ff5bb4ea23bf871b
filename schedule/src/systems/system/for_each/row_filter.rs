//! The filter of a `for_each` system that matches single rows, and what it remembers of its last look.

use crate::data::entity::{EntityFilter, EntityTables, LookMemory};
use crate::data::param::Settle;
use crate::systems::system::blocks::TableBlocks;

/// The filter `F` of a system. It costs nothing if `F` matches whole tables.
pub(super) struct RowFilter<S: EntityTables, F: EntityFilter<S>> {
    memory: LookMemory<F::Memory>,
    /// `rows[i]`: the marks of the i-th table that matches.
    rows: Vec<F::Rows>,
}

impl<S: EntityTables, F: EntityFilter<S>> RowFilter<S, F> {
    pub(super) fn new() -> Self {
        Self {
            memory: LookMemory::default(),
            rows: Vec::new(),
        }
    }

    /// Looks at the clocks, at the begin of a run. The version of the store can change.
    #[inline]
    pub(super) fn look(&mut self, store: &S) {
        if F::IS_PER_ROW {
            F::look(store, self.memory.begin());
        }
    }

    /// Looks up the marks of the tables of a run.
    #[inline]
    pub(super) fn find_rows(&mut self, store: &S, tables: &[TableBlocks]) -> &[F::Rows] {
        if F::IS_PER_ROW {
            self.rows.clear();
            let rows = |one: &TableBlocks| F::rows(store.table(one.table), self.memory.get());
            self.rows.extend(tables.iter().map(rows));
        }
        &self.rows
    }

    /// See [`LookMemory::settle`].
    #[inline]
    pub(super) fn settle(&mut self, settle: &mut Settle<'_>) {
        if F::IS_PER_ROW {
            self.memory.settle(settle);
        }
    }
}
