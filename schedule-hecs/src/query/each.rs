//! Queries as parameters of `for_each` systems.

use core::fmt;
use core::marker::PhantomData;

use schedule::Identity;
use schedule::entity::{ComponentTerms, EachFetch, EachParam, EntityFilter, EntityTables, Permit};
use schedule::param::Part;

use super::Query;
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

impl<S, Q, F, T> EachFetch<S> for EachQuery<Q, F, T>
where
    S: EntityTables,
    Q: StaticTerms<Components: ComponentTerms<World<T>>> + QueryTerms<Static = Q>,
    F: QueryFilter<Static = F> + EntityFilter<World<T>>,
    T: Identity + 'static,
{
    type Terms = ();
    type Shared = Query<'static, Q, F, T>;
    type Columns<'s> = ();
    type Rows<'t, 's: 't> = ();
    type Item<'q> = Query<'q, Q, F, T>;

    fn matches(_: S::Table<'_>) -> bool {
        true
    }

    fn columns<'s>(_: S::Table<'s>, _: Permit<'s, S, ()>) -> Self::Columns<'s> {}

    fn rows<'t, 's: 't>(_: &'t mut Self::Columns<'s>, _: usize) -> Self::Rows<'t, 's> {}

    #[inline]
    fn item<'q, 't, 's: 't>(
        _: &'q mut Self::Rows<'t, 's>,
        query: &'q mut Part<'_, Self::Shared>,
        _: usize,
    ) -> Self::Item<'q> {
        query.reborrow()
    }
}
