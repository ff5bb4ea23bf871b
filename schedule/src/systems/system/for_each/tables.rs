//! The tables that match a `for_each` system, with the addresses of their columns.
//!
//! Invariant: `columns[i]` are those of `tables[i]`. They are valid from `update` until a row of the store is added, removed or
//! moved.

use super::super::blocks::TableBlocks;
use crate::data::entity::{EachFetch, EntityFilter, EntityTables};

/// The tables that match, remembered from run to run.
pub(super) struct MatchingTables<S: EntityTables, P: EachFetch<S>> {
    /// The version of the store for which `matching` is valid.
    version: Option<S::Version>,
    /// The numbers of the tables that match, ascending.
    matching: Vec<usize>,
    /// Those that have rows.
    tables: Vec<TableBlocks>,
    columns: Vec<P::Columns>,
    /// The number of rows of `tables`.
    n_rows: usize,
    /// Whether a parameter writes a watched component.
    is_marked: bool,
}

/// The tables of a run.
pub(super) struct MatchingColumns<'t, C> {
    pub(super) tables: &'t [TableBlocks],
    /// `columns[i]`: the addresses of `tables[i]`.
    pub(super) columns: &'t mut [C],
    /// Whether a parameter writes a watched component.
    pub(super) is_marked: bool,
}

impl<S: EntityTables, P: EachFetch<S>> MatchingTables<S, P> {
    pub(super) fn new() -> Self {
        Self {
            version: None,
            matching: Vec::new(),
            tables: Vec::new(),
            columns: Vec::new(),
            n_rows: 0,
            is_marked: false,
        }
    }

    /// Updates the tables for a run, and returns them with their columns.
    #[inline]
    pub(super) fn update<F: EntityFilter<S>>(
        &mut self,
        store: &S,
    ) -> MatchingColumns<'_, P::Columns> {
        let version = store.version();
        if self.version.as_ref() != Some(&version) {
            // If a search panics, its result belongs to no version.
            self.version = None;
            self.find_matching::<F>(store);
            self.find_columns(store);
            self.version = Some(version);
        } else if !S::VERSION_COVERS_ROWS {
            self.find_columns(store);
        }
        MatchingColumns {
            tables: &self.tables,
            columns: &mut self.columns,
            is_marked: self.is_marked,
        }
    }

    /// The number of rows at the last update. `None` before the first one.
    #[inline]
    pub(super) fn n_rows(&self) -> Option<usize> {
        self.version.is_some().then_some(self.n_rows)
    }

    /// O(tables).
    #[cold]
    #[inline(never)]
    fn find_matching<F: EntityFilter<S>>(&mut self, store: &S) {
        let is_match = |idx: &usize| {
            let table = store.table(*idx);
            P::matches(table) && F::matches(table)
        };
        self.matching.clear();
        self.matching.extend((0..store.n_tables()).filter(is_match));
    }

    /// O(tables that match).
    #[inline(never)]
    fn find_columns(&mut self, store: &S) {
        self.tables.clear();
        self.columns.clear();
        self.n_rows = 0;
        self.is_marked = false;
        let mut n_blocks = 0;
        for &idx in &self.matching {
            let table = store.table(idx);
            let n_rows = S::n_rows(table);
            if n_rows == 0 {
                continue;
            }
            let one = TableBlocks {
                table: idx,
                n_rows,
                first_block: n_blocks,
            };
            n_blocks = one.blocks().end;
            self.n_rows += n_rows;
            self.tables.push(one);
            let columns = P::columns(table);
            self.is_marked |= P::is_marked(columns);
            self.columns.push(columns);
        }
    }
}
