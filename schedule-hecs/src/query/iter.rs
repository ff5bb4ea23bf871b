//! Iteration over the items of a query.
//!
//! Invariant: that of [`query`](super).
#![expect(unsafe_code, reason = "creates items from addresses of columns")]

use core::fmt;

use super::prepared::Table;
use crate::term::StaticTerms;

/// The items of a [`Query`](super::Query).
pub struct Iter<'q, Q: StaticTerms> {
    world: &'q hecs::World,
    tables: core::slice::Iter<'q, Table<Q>>,
    /// The columns of the current table. Those of no table if `end` is 0.
    rows: Q::Rows,
    /// The next row of the current table.
    row: usize,
    /// The row after the last one of the current table.
    end: usize,
}

impl<'q, Q: StaticTerms> Iter<'q, Q> {
    /// # Safety
    ///
    /// The tables are valid for the world. If a term writes, no other item of these tables is in use during `'q`.
    #[inline]
    pub(super) unsafe fn new(world: &'q hecs::World, tables: &'q [Table<Q>]) -> Self {
        Self {
            world,
            tables: tables.iter(),
            rows: Q::NO_ROWS,
            row: 0,
            end: 0,
        }
    }
}

impl<'q, Q: StaticTerms> Iterator for Iter<'q, Q> {
    type Item = Q::Item<'q>;

    #[inline]
    fn next(&mut self) -> Option<Q::Item<'q>> {
        if self.row == self.end {
            let table = self.tables.next()?;
            self.rows = table.rows;
            self.row = table.first;
            self.end = table.first + table.n_rows;
        }
        let row = self.row;
        self.row += 1;
        // SAFETY: the current table has this row, because tables are not empty. `new` guarantees that the table is valid, and that
        // no other item of the row is in use. The iterator returns each row once.
        Some(unsafe { Q::item(self.world, self.rows, row) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let rest = self.tables.as_slice().iter().map(|table| table.n_rows);
        let n = self.end - self.row + rest.sum::<usize>();
        (n, Some(n))
    }

    #[inline]
    fn fold<B, G: FnMut(B, Q::Item<'q>) -> B>(self, init: B, mut each: G) -> B {
        let world = self.world;
        let mut fold_rows = |mut folded, rows, from, to| {
            for row in from..to {
                // SAFETY: as in `next`.
                folded = each(folded, unsafe { Q::item(world, rows, row) });
            }
            folded
        };
        let mut folded = fold_rows(init, self.rows, self.row, self.end);
        for table in self.tables {
            let end = table.first + table.n_rows;
            folded = fold_rows(folded, table.rows, table.first, end);
        }
        folded
    }
}

impl<Q: StaticTerms> ExactSizeIterator for Iter<'_, Q> {}

impl<Q: StaticTerms> core::iter::FusedIterator for Iter<'_, Q> {}

impl<Q: StaticTerms> fmt::Debug for Iter<'_, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Iter({} left)", self.len())
    }
}
