//! The columns and the rows that match a query.
//!
//! Invariant: the columns of `tables` are those of the archetypes of the world whose version is `version`. They are valid until entities or
//! components are added or removed, or a component is watched.
#![expect(unsafe_code, reason = "reads and writes marks of rows")]

use core::fmt;
use core::ops::Range;

use schedule::entity::{EntityFilter, EntityTables};
use schedule::internal::{BLOCK_ROWS, RowLoop, RowTable};

use crate::entities::Entities;
use crate::filter::QueryFilter;
use crate::location::Location;
use crate::term::{ArchetypeOf, StaticTerms};
use crate::world::{World, WorldVersion};

/// The columns of an archetype that matches and has entities, and consecutive rows of it.
pub(super) struct Table<Q: StaticTerms> {
    /// The number of the archetype.
    pub(super) archetype: usize,
    pub(super) rows: Q::Rows,
    /// The first row.
    pub(super) first: usize,
    /// Not 0.
    pub(super) n_rows: usize,
}

/// The columns of a query, valid for one version of the world.
pub struct PreparedQuery<Q: StaticTerms> {
    version: Option<WorldVersion>,
    tables: Vec<Table<Q>>,
    /// `table_of[archetype]`: the index of its table, or [`NO_TABLE`]. Archetypes after the last one with a table are left out.
    table_of: Vec<u32>,
    /// The rows that match, ascending, if the filter matches single rows.
    pub(super) matching_rows: Option<Vec<Table<Q>>>,
    /// Whether a term writes a watched component.
    pub(super) is_marked: bool,
    /// The loop of [`Query::par_for_each`].
    pub(super) row_loop: RowLoop,
}

/// An archetype that does not match, or has no entity.
const NO_TABLE: u32 = u32::MAX;

impl<Q: StaticTerms> RowTable for Table<Q> {
    fn n_rows(&self) -> usize {
        self.n_rows
    }
}

impl<Q: StaticTerms> PreparedQuery<Q> {
    /// The rows that match, as consecutive ones of archetypes.
    #[inline]
    pub(super) fn tables(&self) -> &[Table<Q>] {
        self.matching_rows.as_ref().unwrap_or(&self.tables)
    }

    /// Returns the columns of the row of an entity, if it matches. O(1), or O(log ranges of rows) if the filter matches single rows.
    #[inline]
    pub(super) fn table_of(&self, Location { archetype, row }: Location) -> Option<&Table<Q>> {
        let Some(matching) = &self.matching_rows else {
            let idx = *self.table_of.get(archetype)?;
            let table = self.tables.get(idx as usize)?;
            // A reserved entity of hecs has no row yet.
            return (row < table.n_rows).then_some(table);
        };
        let is_before =
            |table: &Table<Q>| (table.archetype, table.first + table.n_rows) <= (archetype, row);
        let found = matching.get(matching.partition_point(is_before))?;
        (found.archetype == archetype && found.first <= row).then_some(found)
    }

    /// Looks up the rows that match the filter. O(rows), without those of blocks of rows in which nothing has changed.
    pub(super) fn find_matching_rows<F, T>(&mut self, world: &World<T>, memory: &F::Memory)
    where
        F: EntityFilter<World<T>>,
        World<T>: EntityTables,
    {
        let matching = self.matching_rows.get_or_insert_default();
        matching.clear();
        for table in &self.tables {
            let filter = F::rows(world.table(table.archetype), memory);
            let mut add = |rows: Range<usize>| match matching.last_mut() {
                Some(last)
                    if last.archetype == table.archetype
                        && last.first + last.n_rows == rows.start =>
                {
                    last.n_rows += rows.len();
                }
                _ => matching.push(Table {
                    first: rows.start,
                    n_rows: rows.len(),
                    ..*table
                }),
            };
            for first in (0..table.n_rows).step_by(BLOCK_ROWS) {
                let (block, end) = (first / BLOCK_ROWS, table.n_rows.min(first + BLOCK_ROWS));
                // SAFETY: the marks were looked up in this world, and the archetype has the block.
                if !unsafe { F::can_match(filter, block) } {
                    continue;
                }
                // SAFETY: as above.
                if unsafe { F::matches_all(filter, block) } {
                    add(first..end);
                    continue;
                }
                for row in first..end {
                    // SAFETY: as above, of the row.
                    if unsafe { F::matches_row(filter, row) } {
                        add(row..row + 1);
                    }
                }
            }
        }
    }

    /// Notes that the query begins to write. Its columns are up to date.
    #[cold]
    fn begin_writes(&mut self) {
        for table in &mut self.tables {
            // SAFETY: the columns were looked up since the last change of entities.
            unsafe { Q::begin_writes(&mut table.rows) };
        }
    }

    /// Marks all rows that match. The columns are up to date.
    #[cold]
    pub(super) fn mark_rows(&self) {
        for table in self.tables() {
            // SAFETY: as in `begin_writes`. The archetype has these rows.
            unsafe { Q::mark_rows(table.rows, table.first..table.first + table.n_rows) };
        }
    }
}

impl<Q: StaticTerms> Default for PreparedQuery<Q> {
    fn default() -> Self {
        Self {
            version: None,
            tables: Vec::new(),
            table_of: Vec::new(),
            matching_rows: None,
            is_marked: false,
            row_loop: RowLoop::default(),
        }
    }
}

impl<Q: StaticTerms> PreparedQuery<Q> {
    /// Looks up the columns again if the world has changed. Then the query begins to write.
    #[inline]
    pub(super) fn update<F: QueryFilter, T>(&mut self, world: &World<T>) {
        let version = world.version();
        if self.version != Some(version) {
            // If the search panics, its result belongs to no version.
            self.version = None;
            self.tables.clear();
            self.table_of.clear();
            self.is_marked = false;
            self.find::<F>(world.entities_ref());
            self.version = Some(version);
        }
        if self.is_marked {
            self.begin_writes();
        }
    }

    /// Looks up the columns of all archetypes. O(archetypes).
    #[inline(never)]
    fn find<F: QueryFilter>(&mut self, entities: &Entities) {
        for (idx, archetype) in entities.hecs().archetypes().enumerate() {
            if !F::matches(archetype) {
                continue;
            }
            let of = ArchetypeOf {
                entities,
                archetype,
                idx,
            };
            if let Some(rows) = Q::rows(of) {
                self.is_marked |= Q::is_marked(rows);
                self.table_of.resize(idx, NO_TABLE);
                self.table_of.push(self.tables.len() as u32);
                self.tables.push(Table {
                    archetype: idx,
                    rows,
                    first: 0,
                    n_rows: archetype.len() as usize,
                });
            }
        }
    }
}

impl<Q: StaticTerms> fmt::Debug for PreparedQuery<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PreparedQuery({} archetypes)", self.tables.len())
    }
}
