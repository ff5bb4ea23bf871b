//! Queries: the parameter of systems that access components.
//!
//! Invariant: a query holds the columns of all entities that match it, borrowed for as long as it exists. It creates items that
//! write only through an exclusive reference to itself, and each item once.
#![expect(unsafe_code, reason = "creates items from borrowed columns")]

use core::fmt;
use core::marker::PhantomData;

use hecs::Entity;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use schedule::Identity;
use schedule::entity::{ComponentTerms, Components, EntityFilter};
use schedule::param::{Assemble, Assembled, Local, Param, Part, Seed};

use crate::filter::QueryFilter;
use crate::term::{QueryTerms, ReadOnlyTerms, StaticTerms};
use crate::world::{World, WorldVersion};

/// The components of all entities that match.
///
/// `Q` names the components, and [`F`](QueryFilter) limits the entities: `Query<(&mut Position, &Velocity), Without<Frozen>>`.
/// A query of a [`World`] with a tag names the tag: `Query<&Position, (), Ships>`.
///
/// The order of entities depends only on the changes of the world, not on threads: archetype by archetype, in the order of
/// creation, and by row within an archetype.
///
/// # Panics
///
/// hecs checks borrows of components again at run time. The check fails only if components are also accessed outside of queries.
pub struct Query<'r, Q: QueryTerms, F: QueryFilter = (), T = ()> {
    world: &'r hecs::World,
    /// One for each archetype that matches and is not empty.
    tables: Vec<Table<'r, Q::Static>>,
    prepared: Prepared<'r, Q::Static, F>,
    tag: PhantomData<fn() -> T>,
}

/// The columns of an archetype.
struct Table<'w, Q: StaticTerms> {
    columns: Q::Columns<'w>,
    n_rows: usize,
}

/// What a query remembers from run to run: the archetypes that match, and memory.
pub struct PreparedQuery<Q: StaticTerms, F> {
    /// The version of the world for which `matching` is valid.
    version: Option<WorldVersion>,
    /// The indices of the archetypes that match.
    matching: Vec<usize>,
    /// Memory for the tables of the next run. Without elements.
    spare: Vec<Table<'static, Q>>,
    filter: PhantomData<fn() -> F>,
}

// SAFETY: `spare` has no elements. The other fields are `Send`.
unsafe impl<Q: StaticTerms, F> Send for PreparedQuery<Q, F> {}

/// A prepared query of a system, or one that is used once.
pub(crate) enum Prepared<'r, Q: StaticTerms, F> {
    Of(Local<'r, PreparedQuery<Q, F>>),
    Once(PreparedQuery<Q, F>),
}

impl<Q: StaticTerms, F> From<PreparedQuery<Q, F>> for Prepared<'_, Q, F> {
    fn from(prepared: PreparedQuery<Q, F>) -> Self {
        Self::Once(prepared)
    }
}

impl<'r, Q: StaticTerms, F> From<Local<'r, PreparedQuery<Q, F>>> for Prepared<'r, Q, F> {
    fn from(prepared: Local<'r, PreparedQuery<Q, F>>) -> Self {
        Self::Of(prepared)
    }
}

impl<Q: StaticTerms, F> Prepared<'_, Q, F> {
    #[inline]
    fn get_mut(&mut self) -> &mut PreparedQuery<Q, F> {
        match self {
            Self::Of(prepared) => prepared,
            Self::Once(prepared) => prepared,
        }
    }
}

impl<Q: StaticTerms, F> Default for PreparedQuery<Q, F> {
    fn default() -> Self {
        Self {
            version: None,
            matching: Vec::new(),
            spare: Vec::new(),
            filter: PhantomData,
        }
    }
}

impl<Q: StaticTerms, F: QueryFilter> PreparedQuery<Q, F> {
    /// Finds the archetypes that match. O(archetypes).
    #[cold]
    fn prepare(&mut self, world: &hecs::World, version: WorldVersion) {
        let archetypes = world.archetypes().enumerate();
        let matching = archetypes.filter(|(_, one)| Q::matches(one) && F::matches(one));
        self.matching.clear();
        self.matching.extend(matching.map(|(idx, _)| idx));
        self.version = Some(version);
    }
}

/// Returns the memory of a vector, as one for values with another lifetime.
fn recycle<'a, 'b, Q: StaticTerms>(mut tables: Vec<Table<'a, Q>>) -> Vec<Table<'b, Q>> {
    tables.clear();
    // The standard library collects into the memory of the source, because both types have the same layout.
    let none = tables.into_iter().map(|_| unreachable!("there are none"));
    none.collect()
}

impl<'r, Q: QueryTerms, F: QueryFilter, T> Query<'r, Q, F, T> {
    #[inline]
    pub(crate) fn new(world: &'r World<T>, mut prepared: Prepared<'r, Q::Static, F>) -> Self {
        let version = world.version();
        let world = world.hecs();
        let of_system = prepared.get_mut();
        if of_system.version != Some(version) {
            of_system.prepare(world, version);
        }
        let mut tables = recycle(core::mem::take(&mut of_system.spare));
        if !of_system.matching.is_empty() {
            borrow(world, &of_system.matching, &mut tables);
        }
        Self {
            world,
            tables,
            prepared,
            tag: PhantomData,
        }
    }

    /// Returns the items of all entities, to read.
    #[inline]
    pub fn iter(&self) -> Iter<'_, 'r, Q::Static>
    where
        Q: ReadOnlyTerms,
    {
        // SAFETY: the items contain no exclusive references.
        unsafe { Iter::new(&self.tables) }
    }

    /// Returns the items of all entities.
    #[inline]
    pub fn iter_mut(&mut self) -> Iter<'_, 'r, Q::Static> {
        // SAFETY: the query is borrowed exclusively for as long as the items exist, and the iterator returns each once.
        unsafe { Iter::new(&self.tables) }
    }

    /// Returns the item of an entity to read, if the entity exists and matches. O(terms + filters).
    #[inline]
    pub fn get(&self, entity: Entity) -> Option<<Q::Static as StaticTerms>::Item<'_>>
    where
        Q: ReadOnlyTerms,
    {
        // SAFETY: the items contain no exclusive references.
        unsafe { self.get_unchecked(entity) }
    }

    /// Returns the item of an entity, if the entity exists and matches. O(terms + filters).
    #[inline]
    pub fn get_mut(&mut self, entity: Entity) -> Option<<Q::Static as StaticTerms>::Item<'_>> {
        // SAFETY: the query is borrowed exclusively for as long as the item exists.
        unsafe { self.get_unchecked(entity) }
    }

    /// Returns the items of several entities, each of them if the entity exists and matches. If an entity occurs twice, only
    /// the first one of them has an item. O(N²).
    ///
    /// ```
    /// use schedule_hecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Gold(u32);
    ///
    /// let mut world = World::new();
    /// let [giver, taker] = [10, 0].map(|gold| world.spawn((Gold(gold),)));
    /// let mut all = world.query::<&mut Gold>();
    /// let [Some(of_giver), Some(of_taker)] = all.get_many_mut([giver, taker]) else { panic!() };
    /// of_giver.0 -= 4;
    /// of_taker.0 += 4;
    /// assert!(all.get_many_mut([giver, giver])[1].is_none());
    /// ```
    pub fn get_many_mut<const N: usize>(
        &mut self,
        entities: [Entity; N],
    ) -> [Option<<Q::Static as StaticTerms>::Item<'_>>; N] {
        core::array::from_fn(|idx| {
            let entity = entities[idx];
            if entities[..idx].contains(&entity) {
                return None;
            }
            // SAFETY: the query is borrowed exclusively for as long as the items exist, and each entity has only one.
            unsafe { self.get_unchecked(entity) }
        })
    }

    /// Returns the item of the only entity that matches, to read.
    ///
    /// # Errors
    ///
    /// Fails if no entity matches, or more than one.
    pub fn single(&self) -> Result<<Q::Static as StaticTerms>::Item<'_>, SingleError>
    where
        Q: ReadOnlyTerms,
    {
        only(self.iter())
    }

    /// Returns the item of the only entity that matches.
    ///
    /// # Errors
    ///
    /// Fails if no entity matches, or more than one.
    pub fn single_mut(&mut self) -> Result<<Q::Static as StaticTerms>::Item<'_>, SingleError> {
        only(self.iter_mut())
    }

    /// Whether an entity exists and matches.
    pub fn contains(&self, entity: Entity) -> bool {
        let matches = |entity| Q::Static::matches_entity(entity) && F::matches_entity(entity);
        self.world.entity(entity).is_ok_and(matches)
    }

    /// Returns the number of entities that match. O(archetypes that match).
    pub fn len(&self) -> usize {
        self.tables.iter().map(|table| table.n_rows).sum()
    }

    /// Whether no entity matches.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Calls a function with the item of each entity, on all threads of the current thread pool of rayon. In a system, this is
    /// the pool of the schedule.
    ///
    /// The calls are independent, in any order. So the result should not depend on their order.
    ///
    /// ```
    /// use schedule_hecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Age(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..10_000).map(|age| (Age(age),)));
    /// world.query::<&mut Age>().par_for_each(|age| age.0 += 1);
    /// assert_eq!(world.query::<&Age>().iter().map(|age| age.0).max(), Some(10_000));
    /// ```
    pub fn par_for_each<G>(&mut self, each: G)
    where
        G: Fn(<Q::Static as StaticTerms>::Item<'_>) + Sync,
    {
        self.tables.par_iter().for_each(|table| {
            let rows = Q::Static::rows(&table.columns);
            let blocks = table.n_rows.div_ceil(ROWS_PER_BLOCK);
            let blocks: Vec<usize> = (0..blocks).collect();
            blocks.par_iter().for_each(|block| {
                let start = block * ROWS_PER_BLOCK;
                let end = table.n_rows.min(start + ROWS_PER_BLOCK);
                for row in start..end {
                    // SAFETY: the query is borrowed exclusively during the call, and each row is in one block.
                    each(unsafe { Q::Static::item(rows, row) });
                }
            });
        });
    }

    /// Returns the item of an entity that matches.
    ///
    /// # Safety
    ///
    /// If a term writes, no other item of this entity is in use during `'q`.
    #[inline]
    unsafe fn get_unchecked<'q>(
        &'q self,
        entity: Entity,
    ) -> Option<<Q::Static as StaticTerms>::Item<'q>> {
        if !self.contains(entity) {
            return None;
        }
        // SAFETY: the entity matches, so the query holds its columns. The caller guarantees the rest.
        unsafe { Q::Static::get(self.world, entity) }
    }
}

/// The number of rows that one thread processes at a time.
const ROWS_PER_BLOCK: usize = 1024;

/// Borrows the columns of these archetypes.
fn borrow<'w, Q: StaticTerms>(
    world: &'w hecs::World,
    matching: &[usize],
    tables: &mut Vec<Table<'w, Q>>,
) {
    let mut archetypes = world.archetypes();
    let mut next = 0;
    for &idx in matching {
        let archetype = archetypes
            .nth(idx - next)
            .expect("archetypes are never removed");
        next = idx + 1;
        if !archetype.is_empty() {
            tables.push(Table {
                columns: Q::borrow(world, archetype),
                n_rows: archetype.len() as usize,
            });
        }
    }
}

fn only<I>(mut items: impl Iterator<Item = I>) -> Result<I, SingleError> {
    let item = items.next().ok_or(SingleError::None)?;
    match items.next() {
        None => Ok(item),
        Some(_) => Err(SingleError::Several),
    }
}

/// The reason why a query has no single item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SingleError {
    /// No entity matches.
    None,
    /// More than one entity matches.
    Several,
}

impl fmt::Display for SingleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "no entity matches the query",
            Self::Several => "more than one entity matches the query",
        })
    }
}

impl core::error::Error for SingleError {}

impl<Q: QueryTerms, F: QueryFilter, T> Drop for Query<'_, Q, F, T> {
    #[inline]
    fn drop(&mut self) {
        self.prepared.get_mut().spare = recycle(core::mem::take(&mut self.tables));
    }
}

impl<Q: QueryTerms, F: QueryFilter, T> fmt::Debug for Query<'_, Q, F, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Query({} entities)", self.len())
    }
}

impl<'q, 'r, Q: ReadOnlyTerms, F: QueryFilter, T> IntoIterator for &'q Query<'r, Q, F, T> {
    type Item = <Q::Static as StaticTerms>::Item<'q>;
    type IntoIter = Iter<'q, 'r, Q::Static>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'q, 'r, Q: QueryTerms, F: QueryFilter, T> IntoIterator for &'q mut Query<'r, Q, F, T> {
    type Item = <Q::Static as StaticTerms>::Item<'q>;
    type IntoIter = Iter<'q, 'r, Q::Static>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

/// The items of a [`Query`].
pub struct Iter<'q, 'w, Q: StaticTerms> {
    tables: core::slice::Iter<'q, Table<'w, Q>>,
    /// The columns of the current table.
    rows: Option<Q::Rows<'w>>,
    /// The next row of the current table.
    row: usize,
    /// The number of rows of the current table.
    n_rows: usize,
}

impl<'q, 'w, Q: StaticTerms> Iter<'q, 'w, Q> {
    /// # Safety
    ///
    /// If a term writes, no other item of these tables is in use during `'q`.
    #[inline]
    unsafe fn new(tables: &'q [Table<'w, Q>]) -> Self {
        Self {
            tables: tables.iter(),
            rows: None,
            row: 0,
            n_rows: 0,
        }
    }
}

impl<'q, Q: StaticTerms> Iterator for Iter<'q, '_, Q> {
    type Item = Q::Item<'q>;

    #[inline]
    fn next(&mut self) -> Option<Q::Item<'q>> {
        loop {
            if self.row < self.n_rows
                && let Some(rows) = self.rows
            {
                let row = self.row;
                self.row += 1;
                // SAFETY: the table has this row, and its columns are borrowed for `'q`. `new` guarantees that no other item of
                // the row is in use, and the iterator returns each row once.
                return Some(unsafe { Q::item(rows, row) });
            }
            let table = self.tables.next()?;
            self.rows = Some(Q::rows(&table.columns));
            self.row = 0;
            self.n_rows = table.n_rows;
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let rest = self.tables.as_slice().iter().map(|table| table.n_rows);
        let n = self.n_rows - self.row + rest.sum::<usize>();
        (n, Some(n))
    }

    #[inline]
    fn fold<B, G: FnMut(B, Q::Item<'q>) -> B>(self, init: B, mut each: G) -> B {
        let mut folded = init;
        let mut fold_rows = |mut folded, rows, from, to| {
            for row in from..to {
                // SAFETY: as in `next`.
                folded = each(folded, unsafe { Q::item(rows, row) });
            }
            folded
        };
        if let Some(rows) = self.rows {
            folded = fold_rows(folded, rows, self.row, self.n_rows);
        }
        for table in self.tables {
            folded = fold_rows(folded, Q::rows(&table.columns), 0, table.n_rows);
        }
        folded
    }
}

impl<Q: StaticTerms> ExactSizeIterator for Iter<'_, '_, Q> {}

impl<Q: StaticTerms> core::iter::FusedIterator for Iter<'_, '_, Q> {}

impl<Q: StaticTerms> fmt::Debug for Iter<'_, '_, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Iter({} left)", self.len())
    }
}

impl<Q: StaticTerms, F> fmt::Debug for PreparedQuery<Q, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PreparedQuery({} archetypes)", self.matching.len())
    }
}

/// Assembles a [`Query`].
pub struct AssembleQuery<Q, F, T>(Marker<Q, F, T>);

type Marker<Q, F, T> = PhantomData<fn() -> (Q, F, T)>;

impl<Q, F, T> fmt::Debug for AssembleQuery<Q, F, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AssembleQuery")
    }
}

impl<Q, F, T> Assemble for AssembleQuery<Q, F, T>
where
    Q: StaticTerms<Components: ComponentTerms<World<T>>> + QueryTerms<Static = Q>,
    F: QueryFilter + EntityFilter<World<T>>,
    T: Identity + 'static,
{
    type Parts = (
        &'static World<T>,
        Components<'static, World<T>, Q::Components, F>,
        Local<'static, PreparedQuery<Q, F>>,
    );
    type Item<'r> = Query<'r, Q, F, T>;

    #[inline]
    fn assemble<'r>((world, _, prepared): Part<'r, Self::Parts>) -> Self::Item<'r> {
        Query::new(world, prepared.into())
    }
}

impl<Q, F, T> Param for Query<'_, Q, F, T>
where
    Q: QueryTerms,
    Q::Static: StaticTerms<Components: ComponentTerms<World<T>>> + QueryTerms<Static = Q::Static>,
    F: QueryFilter + EntityFilter<World<T>>,
    T: Identity + 'static,
{
    type State = Assembled<AssembleQuery<Q::Static, F, T>>;
    const SEED: Seed<Self::State> = Assembled::SEED;
}
