//! Queries as parameters of `for_each` systems.
//!
//! Invariant: such a query only reads, because the source of a parameter of a `for_each` system does not write. So the queries of
//! several entities can exist at the same time, on several threads.
#![expect(unsafe_code, reason = "implements `EachFetch` by shared queries")]

use core::fmt;
use core::marker::PhantomData;

use schedule::Identity;
use schedule::entity::{ComponentTerms, EachFetch, EachParam, EntityFilter, EntityTables};
use schedule::param::Part;

use super::{PoolOfSchedule, PreparedQuery, Query};
use crate::entities::Entities;
use crate::filter::QueryFilter;
use crate::term::{QueryTerms, StaticTerms};
use crate::world::World;

/// The state of a [`Query`] in a `for_each` system. The query is prepared once, and shared by the calls for all entities.
pub struct EachQuery<Q, F, T>(Marker<Q, F, T>);

type Marker<Q, F, T> = PhantomData<fn() -> (Q, F, T)>;

impl<Q, F, T> fmt::Debug for EachQuery<Q, F, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EachQuery")
    }
}

impl<S, Q, F, T> EachParam<S> for Query<'_, Q, F, T>
where
    S: EntityTables,
    Q: QueryTerms,
    Q::Static: StaticTerms<Components: ComponentTerms<World<T>>> + QueryTerms<Static = Q::Static>,
    F: QueryFilter<Static = F> + EntityFilter<World<T>>,
    T: Identity + 'static,
{
    type State = EachQuery<Q::Static, F, T>;
    const EACH: Self::State = EachQuery(PhantomData);
}

/// The part of a query that all entities share.
#[expect(unnameable_types, reason = "only the query keeps it")]
pub struct SharedQuery<'s, Q: StaticTerms> {
    entities: &'s Entities,
    prepared: &'s PreparedQuery<Q>,
    pool: &'s PoolOfSchedule,
}

impl<Q: StaticTerms> Clone for SharedQuery<'_, Q> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q: StaticTerms> Copy for SharedQuery<'_, Q> {}

impl<Q: StaticTerms> fmt::Debug for SharedQuery<'_, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.prepared.fmt(f)
    }
}

// SAFETY: the item accesses components only by the terms of the source.
unsafe impl<S, Q, F, T> EachFetch<S> for EachQuery<Q, F, T>
where
    S: EntityTables,
    Q: StaticTerms<Components: ComponentTerms<World<T>>> + QueryTerms<Static = Q>,
    F: QueryFilter<Static = F> + EntityFilter<World<T>>,
    T: Identity + 'static,
{
    type Terms = ();
    type Source = Query<'static, Q, F, T>;
    type Shared<'s> = SharedQuery<'s, Q>;
    type Columns = ();
    type Block = ();
    type Item<'q> = Query<'q, Q, F, T>;

    fn matches(_: S::Table<'_>) -> bool {
        true
    }

    #[inline]
    fn columns(_: S::Table<'_>) {}

    #[inline]
    fn share<'s>(query: &'s mut Part<'_, Self::Source>) -> SharedQuery<'s, Q> {
        SharedQuery {
            entities: query.entities,
            prepared: query.prepared.get(),
            pool: query.pool,
        }
    }

    #[inline]
    fn begin_block(_: SharedQuery<'_, Q>) {}

    #[inline]
    unsafe fn item<'q, 's: 'q>(
        _: S::Table<'s>,
        (): (),
        SharedQuery {
            entities,
            prepared,
            pool,
        }: SharedQuery<'s, Q>,
        (): &'q mut (),
        _: usize,
    ) -> Query<'q, Q, F, T> {
        // SAFETY: the query of the system is borrowed for `'s`, so nothing writes what it reads. By the invariant it does not write,
        // so other queries of this item's kind may exist.
        unsafe { Query::shared(entities, prepared, pool) }
    }

    fn end_block(_: &mut Part<'_, Self::Source>, (): &mut ()) {}
}
