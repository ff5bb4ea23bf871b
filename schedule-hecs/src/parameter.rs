//! Queries as parameters of systems.
//!
//! Invariant: only [`Fetch::fetch`], which is unsafe to call, creates a query from a shared reference to a world. The state has
//! the access of its parts, so the executor guarantees what a query needs.
//!
//! A faulty query should be one error, at the type that the user wrote. The bounds have a special form for this. Terms and
//! filters that fit hecs implement [`QueryTerms`] and [`QueryFilter`], also if their types are not components. So such a query
//! is a valid type, and its methods exist. All other requirements are those of [`Stores`], and [`QueryState`] refers to them by
//! associated types. If a requirement is not met, the compiler cannot determine these types, and reports no further error.
#![expect(unsafe_code, reason = "implements `Fetch` and `Stores`")]

use core::fmt;

use schedule::Identity;
use schedule::access::AccessSet;
use schedule::entity::{
    ComponentTerms, Components, EntityFilter, EntityTables, LookMemory, StoreRef,
};
use schedule::internal::{self, ExclusiveRefState, SharedRefState};
use schedule::param::{Fetch, FetchFrom, Local, Lookup, Param, Seed, Seeds, Settle};

use crate::filter::QueryFilter;
use crate::query::{PoolOfSchedule, PreparedQuery, Query};
use crate::saved::NoteNames;
use crate::term::{QueryTerms, StaticTerms};
use crate::world::World;

/// A store whose entities can be queried with the terms `Q` and the filter `F`.
///
/// The scheduler verifies a query by these types.
///
/// # Safety
///
/// `Terms` and `Filter` are the types that their comments name.
pub unsafe trait Stores<Q, F>: EntityTables {
    /// `(Q,)`.
    type Terms;
    /// `F`, with the lifetime `'static`.
    type Filter: QueryFilter;
}

// SAFETY: `Terms` is `(Q,)`. `F::Static` is `F` with the lifetime `'static`.
unsafe impl<Q, F, T> Stores<Q, F> for World<T>
where
    // A tuple, so that the compiler reports the type that is not a component, and not `Q`.
    (Q,): ComponentTerms<Self>,
    F: QueryFilter<Static: QueryFilter + EntityFilter<Self>>,
    T: Identity + 'static,
{
    type Terms = (Q,);
    type Filter = F::Static;
}

type TermsIn<Q, F, T> = <World<T> as Stores<<Q as StaticTerms>::Components, F>>::Terms;
type FilterIn<Q, F, T> = <World<T> as Stores<<Q as StaticTerms>::Components, F>>::Filter;

/// The parts of a query.
type Parts<Q, F, T> = (
    StoreRef<'static, World<T>>,
    Components<'static, World<T>, TermsIn<Q, F, T>, FilterIn<Q, F, T>>,
    Local<'static, PreparedQuery<Q>>,
);

/// What a system remembers of its last look.
type MemoryOf<Q, F, T> = <FilterIn<Q, F, T> as EntityFilter<World<T>>>::Memory;

/// The state of a [`Query`]: that of its parts, the memory of the filter, and the pool of the schedule.
pub struct QueryState<Q, F, T>(
    <Parts<Q, F, T> as Param>::State,
    LookMemory<MemoryOf<Q, F, T>>,
    // The last one, so that the compiler knows the size of a state whose query is faulty.
    PoolOfSchedule,
)
where
    Q: StaticTerms,
    T: 'static,
    World<T>:
        Stores<Q::Components, F, Terms: ComponentTerms<World<T>>, Filter: EntityFilter<World<T>>>;

// SAFETY: `Stores` is unsafe to implement, so the parts declare the access of the terms `Q` with the filter `F`. `access`
// declares all of their access.
unsafe impl<Q, F, T> Fetch for QueryState<Q, F, T>
where
    Q: StaticTerms + QueryTerms<Static = Q>,
    F: 'static,
    T: 'static,
    World<T>:
        Stores<Q::Components, F, Terms: ComponentTerms<World<T>>, Filter: EntityFilter<World<T>>>,
{
    type Item<'r> = Query<'r, Q, F, T>;

    fn access(&self, access: &mut AccessSet) {
        self.0.access(access);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.0.prepare(lookup);
        Q::matches(NoteNames);
        self.2 = internal::pool_of(lookup).cloned();
    }

    #[inline]
    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> Query<'r, Q, F, T> {
        // SAFETY: `access` and `prepare` pass on to the same state as `fetch`, so the guarantees of the caller hold for it.
        let (world, _, prepared) = unsafe { self.0.fetch(from) };
        // SAFETY: the query does not give the world away.
        let world = unsafe { world.get() };
        // SAFETY: the parts declare the access of the query, and the caller guarantees that nothing that conflicts with it is
        // in use. The seed of the parts is rejected if two of their terms conflict. The prepared query belongs to this state,
        // so its filter is always the same.
        unsafe {
            Query::of_system::<FilterIn<Q, F, T>>(
                world,
                Local::into_mut(prepared),
                self.1.begin(),
                &self.2,
            )
        }
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        self.1.settle(settle);
        // The prepared query is not a value of the user.
        if !internal::saves_locals(settle) {
            self.0.settle(settle);
        }
    }
}

impl<Q, F, T> fmt::Debug for QueryState<Q, F, T>
where
    Q: StaticTerms,
    T: 'static,
    World<T>:
        Stores<Q::Components, F, Terms: ComponentTerms<World<T>>, Filter: EntityFilter<World<T>>>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("QueryState")
    }
}

impl<Q, F, T> Param for Query<'_, Q, F, T>
where
    Q: QueryTerms,
    Q::Static: QueryTerms<Static = Q::Static>,
    F: 'static,
    T: 'static,
    World<T>: Stores<
            <Q::Static as StaticTerms>::Components,
            F,
            Terms: ComponentTerms<World<T>>,
            Filter: EntityFilter<World<T>>,
        >,
{
    type State = QueryState<Q::Static, F, T>;
    const SEED: Seed<Self::State> =
        internal::seed(<Parts<Q::Static, F, T> as Param>::SEED.access(), || {
            let parts = Seeds::grow(&<Parts<Q::Static, F, T> as Param>::SEED);
            QueryState(parts, Default::default(), None)
        });
}

/// Without this implementation, an error about a reference to a query would say that the query is not a resource.
#[diagnostic::do_not_recommend]
impl<'r, Q, F, T> Param for &Query<'r, Q, F, T>
where
    Q: QueryTerms,
    Query<'r, Q, F, T>: Param,
{
    type State = SharedRefState<<Query<'r, Q, F, T> as Param>::State>;
    const SEED: Seed<Self::State> = SharedRefState::seed("Query<…>");
}

/// As for a shared reference.
#[diagnostic::do_not_recommend]
impl<'r, Q, F, T> Param for &mut Query<'r, Q, F, T>
where
    Q: QueryTerms,
    Query<'r, Q, F, T>: Param,
{
    type State = ExclusiveRefState<<Query<'r, Q, F, T> as Param>::State>;
    const SEED: Seed<Self::State> = ExclusiveRefState::seed("Query<…>");
}
