//! Queries: the parameter of systems that access components.
//!
//! Invariant: as long as a query exists, nothing else accesses a component that it writes, and nothing else writes a component
//! that it reads, in the entities that match it. For a query in a system, the schedule guarantees this, because it verifies the
//! access that the parameter declares. For a query from `World::query`, the exclusive borrow of the world guarantees it. A query
//! returns items that write only through `&mut self`, and only one of them for each entity at a time.
#![expect(unsafe_code, reason = "creates items from addresses of columns")]

mod combinations;
mod each;
mod iter;
mod prepared;
mod several;

use core::fmt;
use core::marker::PhantomData;
use core::ops::Range;
use std::sync::Arc;

use hecs::Entity;
use schedule::Identity;
use schedule::entity::{ComponentTerms, Components, EntityFilter, EntityTables};
use schedule::internal::ThreadPool;

pub use self::combinations::{Combinations, CombinationsMut};
pub use self::each::EachQuery;
pub use self::iter::Iter;
pub use self::prepared::PreparedQuery;
use self::prepared::Table;
pub use self::several::Queries;
use crate::column::CHECKS_BORROWS;
use crate::entities::Entities;
use crate::filter::QueryFilter;
use crate::location::Location;
use crate::term::{QueryTerms, ReadOnlyTerms, StaticTerms};
use crate::world::World;

/// The components of all entities that match.
///
/// [`Q`](QueryTerms) names the components, and [`F`](QueryFilter) limits the entities: `Query<(&mut Position, &Velocity), Without<Frozen>>`.
/// A query of a [`World`] with a tag names the tag: `Query<&Position, (), Ships>`.
///
/// The order of entities depends only on the changes of the world, not on threads: archetype by archetype, in the order of
/// creation, and by row within an archetype.
///
/// A query remembers the addresses of the columns that match until entities or components are added or removed. So it costs
/// nothing per archetype in a run without such changes.
pub struct Query<'r, Q: QueryTerms, F = (), T = ()> {
    entities: &'r Entities,
    prepared: Prepared<'r, Q::Static>,
    /// The pool for [`par_for_each`](Self::par_for_each). `None`: that of the current thread.
    pool: &'r PoolOfSchedule,
    /// Empty unless borrows are checked.
    _borrows: Vec<<Q::Static as StaticTerms>::Borrow<'r>>,
    marker: PhantomData<fn() -> (F, T)>,
}

/// The pool of a schedule. A query has a reference to it, because most systems do not use it.
pub(crate) type PoolOfSchedule = Option<Arc<ThreadPool>>;

/// Outside of schedules.
const NO_POOL: &PoolOfSchedule = &None;

/// The prepared query of a system, or one that is used once.
enum Prepared<'r, Q: StaticTerms> {
    OfSystem(&'r PreparedQuery<Q>),
    Once(PreparedQuery<Q>),
}

impl<T> World<T> {
    /// Queries the entities outside of a schedule, or in a system that takes the world exclusively.
    ///
    /// The items borrow from the query. To keep an item, keep the query in a variable first:
    ///
    /// ```
    /// use schedule_hecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Health(i32);
    ///
    /// let mut world = World::new();
    /// world.spawn((Health(3),));
    ///
    /// let mut query = world.query::<&mut Health>();
    /// let health = query.single_mut()?;
    /// health.0 += 1;
    /// assert_eq!(health.0, 4);
    /// # Ok::<(), schedule_hecs::SingleError>(())
    /// ```
    ///
    /// A query that is used in one expression needs no variable:
    ///
    /// ```
    /// # use schedule_hecs::prelude::*;
    /// # #[derive(Component)]
    /// # struct Health(i32);
    /// # let mut world = World::new();
    /// # world.spawn((Health(3),));
    /// # world.spawn((Health(4),));
    /// assert_eq!(world.query::<&Health>().iter().map(|health| health.0).sum::<i32>(), 7);
    /// ```
    ///
    /// Terms that conflict do not compile:
    ///
    /// ```compile_fail
    /// # use schedule_hecs::prelude::*;
    /// # #[derive(Component)]
    /// # struct Health(i32);
    /// World::new().query::<(&mut Health, &Health)>();
    /// ```
    pub fn query<Q>(&mut self) -> Query<'_, Q, (), T>
    where
        Q: QueryTerms<Static: StaticTerms<Components: ComponentTerms<Self>>>,
        T: Identity + 'static,
    {
        // Evaluated here, too, so that the compiler names the caller.
        const { Components::<Self, <Q::Static as StaticTerms>::Components>::DISTINCT };
        self.query_filtered()
    }

    /// Queries the entities that match a filter, as [`World::query`] does.
    pub fn query_filtered<Q, F>(&mut self) -> Query<'_, Q, F, T>
    where
        Q: QueryTerms<Static: StaticTerms<Components: ComponentTerms<Self>>>,
        F: QueryFilter,
        T: Identity + 'static,
    {
        const { Components::<Self, <Q::Static as StaticTerms>::Components>::DISTINCT };
        // SAFETY: the world is borrowed exclusively, so nothing else accesses its components. `DISTINCT` is evaluated above, so
        // no two terms conflict.
        unsafe { Query::once(self) }
    }
}

impl<'r, Q: QueryTerms, F, T> Query<'r, Q, F, T> {
    /// Creates a query that is prepared for one use.
    ///
    /// # Safety
    ///
    /// During `'r`, nothing that conflicts with the access of the query is in use. No two terms of `Q` conflict.
    pub(crate) unsafe fn once(world: &'r World<T>) -> Self
    where
        F: QueryFilter,
    {
        let mut prepared = PreparedQuery::default();
        prepared.update::<F, T>(world);
        Self::new(world.entities_ref(), Prepared::Once(prepared), NO_POOL)
    }

    /// Creates the query of a system. The filter `G` is the same as `F`. `memory`: what the system remembers of its last look.
    ///
    /// # Safety
    ///
    /// During `'r`, nothing that conflicts with the access of the query is in use. No two terms of `Q` conflict. All calls with
    /// this prepared query have the same `G`.
    #[inline]
    pub(crate) unsafe fn of_system<G>(
        world: &'r World<T>,
        prepared: &'r mut PreparedQuery<Q::Static>,
        memory: &mut G::Memory,
        pool: &'r PoolOfSchedule,
    ) -> Self
    where
        G: QueryFilter + EntityFilter<World<T>>,
        World<T>: EntityTables,
    {
        if G::IS_PER_ROW {
            G::look(world, memory);
        }
        prepared.update::<G, T>(world);
        if G::IS_PER_ROW {
            prepared.find_matching_rows::<G, T>(world, memory);
        }
        Self::new(world.entities_ref(), Prepared::OfSystem(prepared), pool)
    }

    #[inline]
    fn new(
        entities: &'r Entities,
        prepared: Prepared<'r, Q::Static>,
        pool: &'r PoolOfSchedule,
    ) -> Self {
        let mut query = Self {
            entities,
            prepared,
            pool,
            _borrows: Vec::new(),
            marker: PhantomData,
        };
        if CHECKS_BORROWS {
            query.borrow();
        }
        query
    }

    /// Creates another query with the columns of an existing one. It takes no borrows of hecs.
    ///
    /// # Safety
    ///
    /// The columns are those of a query of this type in this world, which is borrowed for `'r` and does not write.
    #[inline]
    unsafe fn shared(
        entities: &'r Entities,
        prepared: &'r PreparedQuery<Q::Static>,
        pool: &'r PoolOfSchedule,
    ) -> Self {
        Self {
            entities,
            prepared: Prepared::OfSystem(prepared),
            pool,
            _borrows: Vec::new(),
            marker: PhantomData,
        }
    }

    /// Takes the borrows that hecs checks.
    fn borrow(&mut self) {
        let tables = self.prepared.tables();
        for (nth, table) in tables.iter().enumerate() {
            // An archetype can have several ranges of rows, one after the other.
            if nth > 0 && tables[nth - 1].archetype == table.archetype {
                continue;
            }
            let archetype = self
                .entities
                .hecs()
                .archetypes()
                .nth(table.archetype)
                .expect("archetypes are never removed");
            self._borrows.push(Q::Static::borrow(archetype));
        }
    }

    /// Returns the items of all entities, to read.
    #[inline]
    pub fn iter(&self) -> Iter<'_, Q::Static>
    where
        Q: ReadOnlyTerms,
    {
        // SAFETY: the items contain no exclusive references.
        unsafe { Iter::new(self.entities.hecs(), self.prepared.tables()) }
    }

    /// Returns the items of all entities.
    ///
    /// For a term `&mut C`, each of these entities counts as changed, also if the iteration ends early. See [`Mut`](crate::Mut).
    #[inline]
    pub fn iter_mut(&mut self) -> Iter<'_, Q::Static> {
        if self.prepared.get().is_marked {
            self.prepared.get().mark_rows();
        }
        // SAFETY: the query is borrowed exclusively for as long as the items exist, and the iterator returns each once.
        unsafe { Iter::new(self.entities.hecs(), self.prepared.tables()) }
    }

    /// Returns the item of an entity to read, if the entity exists and matches. O(terms), and O(log ranges of rows) more if the
    /// filter matches single rows.
    #[inline]
    pub fn get(&self, entity: Entity) -> Option<<Q::Static as StaticTerms>::Item<'_>>
    where
        Q: ReadOnlyTerms,
    {
        // SAFETY: the items contain no exclusive references.
        unsafe { self.get_unchecked(entity) }
    }

    /// Returns the item of an entity, if the entity exists and matches. O(terms), and O(log ranges of rows) more if the
    /// filter matches single rows.
    #[inline]
    pub fn get_mut(&mut self, entity: Entity) -> Option<<Q::Static as StaticTerms>::Item<'_>> {
        // SAFETY: the query is borrowed exclusively for as long as the item exists.
        unsafe { self.get_unchecked(entity) }
    }

    /// Returns the items of several entities. An element is `None` if its entity does not exist, does not match, or occurs earlier
    /// in the list. O(N²).
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

    /// Returns the item of the only entity that matches, to read. It borrows from the query: see [`World::query`].
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

    /// Returns the item of the only entity that matches. It borrows from the query: see [`World::query`].
    ///
    /// # Errors
    ///
    /// Fails if no entity matches, or more than one.
    pub fn single_mut(&mut self) -> Result<<Q::Static as StaticTerms>::Item<'_>, SingleError> {
        only(self.iter_mut())
    }

    /// Whether an entity exists and matches.
    pub fn contains(&self, entity: Entity) -> bool {
        self.find(entity).is_some()
    }

    /// Returns the columns and the row of an entity, if it exists and matches.
    #[inline]
    fn find(&self, entity: Entity) -> Option<(&Table<Q::Static>, usize)> {
        let place = Location::of(self.entities.hecs(), entity)?;
        let table = self.prepared.get().table_of(place)?;
        Some((table, place.row))
    }

    /// Returns the number of entities that match. O(archetypes that match).
    pub fn len(&self) -> usize {
        let tables = self.prepared.tables().iter();
        tables.map(|table| table.n_rows).sum()
    }

    /// Whether no entity matches.
    pub fn is_empty(&self) -> bool {
        self.prepared.tables().is_empty()
    }

    /// Calls a function with the item of each entity, in chunks, on all threads of the pool of [`Schedule::set_pool`]. Without that call,
    /// and outside of systems, on those of the current pool of rayon.
    ///
    /// If the current thread is not in the pool, it waits for the threads of the pool. Do not hold a lock that jobs of the pool take.
    ///
    /// [`Schedule::set_pool`]: schedule::Schedule::set_pool
    ///
    /// The calls can run at the same time and in any order, so the result should not depend on their order.
    ///
    /// If all entities together take less than 10 µs, the current thread visits them alone, because that is faster. The first call
    /// measures the time of an entity, and each call of a system measures it for the next one.
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
        let (world, prepared) = (self.entities.hecs(), self.prepared.get());
        if prepared.is_marked {
            prepared.mark_rows();
        }
        let rows = |table: &Table<Q::Static>, rows: Range<usize>| {
            for nth in rows {
                // SAFETY: the query is borrowed exclusively during the call, and each row occurs once.
                each(unsafe { Q::Static::item(world, table.rows, table.first + nth) });
            }
        };
        let pool = self.pool.as_deref();
        prepared.row_loop.run(pool, prepared.tables(), rows);
    }

    /// Returns the item of an entity, if it exists and matches. For a term `&mut C`, it counts as changed.
    ///
    /// # Safety
    ///
    /// If a term writes, no other item of this entity is in use during `'q`.
    #[inline]
    unsafe fn get_unchecked<'q>(
        &'q self,
        entity: Entity,
    ) -> Option<<Q::Static as StaticTerms>::Item<'q>> {
        let (table, row) = self.find(entity)?;
        if self.prepared.get().is_marked {
            // SAFETY: the columns were looked up since the last change of entities, and the archetype has the row of the entity.
            unsafe { Q::Static::mark_rows(table.rows, row..row + 1) };
        }
        // SAFETY: as above. The entity matches, so no other query uses its components. The caller guarantees the rest.
        Some(unsafe { Q::Static::item(self.entities.hecs(), table.rows, row) })
    }
}

impl<Q: StaticTerms> Prepared<'_, Q> {
    #[inline]
    fn get(&self) -> &PreparedQuery<Q> {
        match self {
            Self::OfSystem(prepared) => prepared,
            Self::Once(prepared) => prepared,
        }
    }

    #[inline]
    fn tables(&self) -> &[Table<Q>] {
        self.get().tables()
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

impl<Q: QueryTerms, F, T> fmt::Debug for Query<'_, Q, F, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Query({} entities)", self.len())
    }
}

impl<'q, Q: ReadOnlyTerms, F, T> IntoIterator for &'q Query<'_, Q, F, T> {
    type Item = <Q::Static as StaticTerms>::Item<'q>;
    type IntoIter = Iter<'q, Q::Static>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'q, Q: QueryTerms, F, T> IntoIterator for &'q mut Query<'_, Q, F, T> {
    type Item = <Q::Static as StaticTerms>::Item<'q>;
    type IntoIter = Iter<'q, Q::Static>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
