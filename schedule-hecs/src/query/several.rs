//! Several queries of one world at once.
//!
//! Invariant: that of [`query`](super). The queries of a tuple borrow the world exclusively together, and no two of them conflict.
#![expect(unsafe_code, reason = "creates queries")]

use schedule::internal;
use schedule::param::Param;

use super::Query;
use crate::filter::QueryFilter;
use crate::term::QueryTerms;
use crate::world::World;

/// Queries of one world, for [`World::queries`]: a tuple of up to twelve [`Query`]s, which can be nested.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of queries of one world",
    label = "not a tuple of queries",
    note = "write a tuple of queries of this world, as in `(Query<&mut Position>, Query<&Velocity>)`"
)]
pub trait Queries<'w, T>: Param + sealed::SealedQueries {
    /// Creates the queries.
    ///
    /// # Safety
    ///
    /// During `'w`, nothing else accesses the components of the world. The access of the queries contains no conflict.
    #[doc(hidden)]
    unsafe fn once(world: &'w World<T>) -> Self;
}

mod sealed {
    #[expect(unnameable_types, reason = "only this module may implement it")]
    pub trait SealedQueries {}
}

impl<T> World<T> {
    /// Queries the entities by several queries at once, outside of a schedule. So a test can call a system that takes several:
    ///
    /// ```
    /// use schedule::prelude::*;
    /// use schedule_hecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Health(i32);
    ///
    /// #[derive(Component)]
    /// struct Healer(i32);
    ///
    /// #[system]
    /// fn heal(healers: Query<&Healer>, mut all: Query<&mut Health, Without<Healer>>) {
    ///     let amount: i32 = healers.iter().map(|healer| healer.0).sum();
    ///     all.iter_mut().for_each(|health| health.0 += amount);
    /// }
    ///
    /// let mut world = World::new();
    /// world.spawn((Health(10), Healer(2)));
    /// let hurt = world.spawn((Health(1),));
    /// let (healers, all) = world.queries();
    /// heal(healers, all);
    /// assert_eq!(world.get_mut::<Health>(hurt).unwrap().0, 3);
    /// ```
    ///
    /// Queries that conflict do not compile, as in a system:
    ///
    /// ```compile_fail
    /// # use schedule_hecs::prelude::*;
    /// # #[derive(Component)]
    /// # struct Health(i32);
    /// World::new().queries::<(Query<&mut Health>, Query<&Health>)>();
    /// ```
    pub fn queries<'w, Q: Queries<'w, T>>(&'w mut self) -> Q {
        const { internal::refuse_conflicting_queries(&Q::SEED.access()) };
        // SAFETY: the world is borrowed exclusively, so nothing else accesses its components. A conflict is refused above.
        unsafe { Q::once(self) }
    }
}

impl<Q: QueryTerms, F, T> sealed::SealedQueries for Query<'_, Q, F, T> {}

impl<'w, Q: QueryTerms, F: QueryFilter, T> Queries<'w, T> for Query<'w, Q, F, T>
where
    Self: Param,
{
    unsafe fn once(world: &'w World<T>) -> Self {
        // SAFETY: the caller guarantees that nothing else is in use, and that no two terms conflict.
        unsafe { Query::once(world) }
    }
}

macro_rules! tuples {
    ($($term:ident $index:tt),*) => {
        impl<$($term: sealed::SealedQueries),*> sealed::SealedQueries for ($($term,)*) {}

        #[diagnostic::do_not_recommend]
        impl<'w, W, $($term: Queries<'w, W>),*> Queries<'w, W> for ($($term,)*) {
            unsafe fn once(world: &'w World<W>) -> Self {
                ($(
                    // SAFETY: the caller guarantees that nothing else is in use. The queries before this one do not conflict with it.
                    unsafe { $term::once(world) },
                )*)
            }
        }
    };
}

schedule::__for_each_tuple!(tuples);
