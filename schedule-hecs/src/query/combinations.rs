//! Combinations of several entities of a query.
//!
//! Invariant: the places of a combination are strictly ascending, so its items are those of different entities. The rest is the invariant
//! of [`query`](super).
#![expect(unsafe_code, reason = "creates items from addresses of columns")]

use core::fmt;

use super::Query;
use super::prepared::Table;
use crate::term::{QueryTerms, ReadOnlyTerms, StaticTerms};

/// The items of each combination of `N` entities of a query that only reads. See [`Query::iter_combinations`].
pub struct Combinations<'q, Q: StaticTerms, const N: usize>(RowCombinations<'q, Q, N>);

/// The items of each combination of `N` entities of a query. See [`Query::iter_combinations_mut`].
///
/// It does not implement [`Iterator`], because the items of one combination must be gone before the next one.
pub struct CombinationsMut<'q, Q: StaticTerms, const N: usize>(RowCombinations<'q, Q, N>);

/// A row of a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RowPlace {
    table: usize,
    /// The number of rows of the table before it.
    nth: usize,
}

/// The places of one combination after the other.
struct RowCombinations<'q, Q: StaticTerms, const N: usize> {
    world: &'q hecs::World,
    tables: &'q [Table<Q>],
    /// The last combination. `None` before the first one.
    last: Option<[RowPlace; N]>,
    is_over: bool,
}

impl<'r, Q: QueryTerms, F, T> Query<'r, Q, F, T> {
    /// Returns the items of each combination of `N` entities, to read: `query.iter_combinations::<2>()` returns each pair once.
    ///
    /// The combinations are in lexicographic order, by the order of [`iter`](Self::iter): first all that start with the first entity.
    /// `N` is at least 1:
    ///
    /// ```compile_fail
    /// # use schedule_hecs::prelude::*;
    /// # #[derive(Component)]
    /// # struct Health(i32);
    /// World::new().query::<&Health>().iter_combinations::<0>();
    /// ```
    #[inline]
    pub fn iter_combinations<const N: usize>(&self) -> Combinations<'_, Q::Static, N>
    where
        Q: ReadOnlyTerms,
    {
        Combinations(self.places())
    }

    /// Returns the items of each combination of `N` entities, in the order of [`iter_combinations`](Self::iter_combinations).
    ///
    /// For a term `&mut C`, each entity of the query counts as changed, as for [`iter_mut`](Self::iter_mut).
    ///
    /// ```
    /// use schedule_hecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Position(f32);
    ///
    /// #[derive(Component)]
    /// struct Force(f32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([0.0, 1.0, 5.0].map(|x| (Position(x), Force(0.0))));
    ///
    /// let mut bodies = world.query::<(&Position, &mut Force)>();
    /// bodies.iter_combinations_mut().for_each(|[(at, force), (other_at, other_force)]| {
    ///     let pull = other_at.0 - at.0;
    ///     force.0 += pull;
    ///     other_force.0 -= pull;
    /// });
    /// let forces: Vec<f32> = bodies.iter_mut().map(|(_, force)| force.0).collect();
    /// assert_eq!(forces, [6.0, 3.0, -9.0]);
    ///
    /// // The same as a loop, which can end early.
    /// let mut pairs = bodies.iter_combinations_mut();
    /// while let Some([(_, force), (_, other_force)]) = pairs.fetch_next() {
    ///     force.0 = other_force.0;
    ///     break;
    /// }
    /// ```
    #[inline]
    pub fn iter_combinations_mut<const N: usize>(&mut self) -> CombinationsMut<'_, Q::Static, N> {
        if self.prepared.get().is_marked {
            self.prepared.get().mark_rows();
        }
        CombinationsMut(self.places())
    }

    #[inline]
    fn places<const N: usize>(&self) -> RowCombinations<'_, Q::Static, N> {
        const { assert!(N > 0, "a combination has at least one entity") };
        RowCombinations {
            world: self.entities.hecs(),
            tables: self.prepared.tables(),
            last: None,
            is_over: false,
        }
    }
}

impl<'q, Q: StaticTerms, const N: usize> RowCombinations<'q, Q, N> {
    /// Returns the places of the next combination. O(N).
    #[inline]
    fn next(&mut self) -> Option<[RowPlace; N]> {
        if self.is_over {
            return None;
        }
        let next = match &self.last {
            None => self.fill([RowPlace { table: 0, nth: 0 }; N], 0, self.first()),
            Some(last) => (0..N)
                .rev()
                .find_map(|nth| self.fill(*last, nth, self.after(last[nth]))),
        };
        self.is_over = next.is_none();
        if next.is_some() {
            self.last = next;
        }
        next
    }

    /// Replaces the places from `nth` on by `place` and those right after it. Returns `None` if there are not enough.
    #[inline]
    fn fill(
        &self,
        mut places: [RowPlace; N],
        nth: usize,
        place: Option<RowPlace>,
    ) -> Option<[RowPlace; N]> {
        places[nth] = place?;
        for nth in nth + 1..N {
            places[nth] = self.after(places[nth - 1])?;
        }
        Some(places)
    }

    fn first(&self) -> Option<RowPlace> {
        // Tables have rows.
        (!self.tables.is_empty()).then_some(RowPlace { table: 0, nth: 0 })
    }

    #[inline]
    fn after(&self, RowPlace { table, nth }: RowPlace) -> Option<RowPlace> {
        if nth + 1 < self.tables[table].n_rows {
            return Some(RowPlace {
                table,
                nth: nth + 1,
            });
        }
        let table = table + 1;
        (table < self.tables.len()).then_some(RowPlace { table, nth: 0 })
    }

    /// Returns the items of places.
    ///
    /// # Safety
    ///
    /// The places are those of a combination. If a term writes, no other item of the tables is in use during `'i`.
    #[inline]
    unsafe fn items<'i>(&self, places: [RowPlace; N]) -> [Q::Item<'i>; N]
    where
        'q: 'i,
    {
        places.map(|RowPlace { table, nth }| {
            let table = &self.tables[table];
            // SAFETY: the table has this row, and is valid for the world. The places are different, and the caller guarantees the rest.
            unsafe { Q::item(self.world, table.rows, table.first + nth) }
        })
    }
}

impl<'q, Q: StaticTerms, const N: usize> Iterator for Combinations<'q, Q, N> {
    type Item = [Q::Item<'q>; N];

    #[inline]
    fn next(&mut self) -> Option<[Q::Item<'q>; N]> {
        let places = self.0.next()?;
        // SAFETY: the query only reads, see `Query::iter_combinations`.
        Some(unsafe { self.0.items(places) })
    }
}

impl<Q: StaticTerms, const N: usize> core::iter::FusedIterator for Combinations<'_, Q, N> {}

impl<Q: StaticTerms, const N: usize> CombinationsMut<'_, Q, N> {
    /// Returns the items of the next combination. O(N).
    #[inline]
    pub fn fetch_next(&mut self) -> Option<[Q::Item<'_>; N]> {
        let places = self.0.next()?;
        // SAFETY: the query is borrowed exclusively, and the items borrow `self`, so those of other combinations are gone.
        Some(unsafe { self.0.items(places) })
    }

    /// Calls a function with the items of each combination that is left. O(N) for each.
    #[inline]
    pub fn for_each(mut self, mut each: impl FnMut([Q::Item<'_>; N])) {
        while let Some(items) = self.fetch_next() {
            each(items);
        }
    }
}

impl<Q: StaticTerms, const N: usize> fmt::Debug for Combinations<'_, Q, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Combinations of {N}")
    }
}

impl<Q: StaticTerms, const N: usize> fmt::Debug for CombinationsMut<'_, Q, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CombinationsMut of {N}")
    }
}
