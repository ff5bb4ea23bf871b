//! The parameter that declares access to components.
//!
//! Invariant: a value exists only while a system has declared access to all components in its terms: as a parameter, or as the
//! queries of a dynamic system. A store gives access only together with a value, so it need not check borrows at run time.
#![expect(unsafe_code, reason = "implements `Fetch`, which touches nothing")]

use core::fmt;
use core::marker::PhantomData;

use super::{Component, EntityFilter, EntityStore, Marker, component};
use crate::data::access::{Access, AccessSet, Filter, FilterTerm, ResourceId};
use crate::data::param::{Fetch, FetchFrom, Lookup, Param, Seed};

/// The components that a query accesses in the entities of `S`: `&'static C` reads, `&'static mut C` writes, `Option` accesses
/// it in the entities that have it. Tuples combine terms. No other type can be a term.
pub trait ComponentTerms<S: EntityStore>: sealed::SealedTerms + 'static {
    #[doc(hidden)]
    const ACCESS: Access;
    /// The entities that have all required components.
    #[doc(hidden)]
    const REQUIRED: FilterTerm;
}

/// Declares that a system accesses components: the terms `Q`, of the entities that match the filter `F`.
///
/// It is a parameter without a value. A crate that stores entities makes its queries from this parameter and from its store.
/// The access of a query is the access of both. In a dynamic system, [`View::components`](crate::dynamic::View::components) returns both.
pub struct Components<'r, S, Q, F = ()>(PhantomData<&'r ()>, Marker<S, Q, F>);

impl<S, Q, F> Components<'_, S, Q, F>
where
    S: EntityStore,
    Q: ComponentTerms<S>,
    F: EntityFilter<S>,
{
    /// The filter of the query. A required component is also part of the filter.
    #[doc(hidden)]
    pub const FILTER: &'static Filter =
        const { &Filter::new(FilterTerm::All(&[Q::REQUIRED, F::TERM])) };

    /// The access of the terms, and that of the filter, which concerns all entities.
    const ACCESS: Access = if F::IS_PER_ROW {
        Access::Each(
            const {
                &[
                    Access::Filtered(&Q::ACCESS, Self::FILTER),
                    Access::Filtered(&F::READS, &ALL_ENTITIES),
                ]
            },
        )
    } else {
        Access::Filtered(const { &Q::ACCESS }, Self::FILTER)
    };

    /// Rejects terms that conflict with each other when it is evaluated. For a query outside of a system; the parameters of a
    /// system are verified together.
    pub const DISTINCT: () = Q::ACCESS.refuse_conflicting_terms();

    /// Whether no entity can match the query: its filter contradicts itself.
    pub const NEVER_MATCHES: bool = Self::FILTER.never_matches();
}

impl<S, Q, F> Components<'_, S, Q, F> {
    /// Creates the value. The caller checks that the dynamic system declares this access, and keeps its view borrowed for as long.
    pub(crate) const fn declared() -> Self {
        Self(PhantomData, PhantomData)
    }
}

impl<S, Q, F> fmt::Debug for Components<'_, S, Q, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Components")
    }
}

/// The filter of components whose marks are read.
pub(super) static ALL_ENTITIES: Filter = Filter::of_marks();

/// The state of [`Components`].
pub struct DeclaredComponents<S, Q, F>(Marker<S, Q, F>);

impl<S, Q, F> fmt::Debug for DeclaredComponents<S, Q, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeclaredComponents")
    }
}

// SAFETY: `fetch` accesses nothing.
unsafe impl<S, Q, F> Fetch for DeclaredComponents<S, Q, F>
where
    S: EntityStore,
    Q: ComponentTerms<S>,
    F: EntityFilter<S>,
{
    type Item<'r> = Components<'r, S, Q, F>;

    fn access(&self, access: &mut AccessSet) {
        access.push_components(
            ResourceId::of::<S>(),
            &Q::ACCESS,
            Components::<'static, S, Q, F>::FILTER,
        );
        F::READS.for_each(&mut |leaf, _| {
            if let Access::Read(component) = leaf {
                access.push_component(component, false, &ALL_ENTITIES);
            }
        });
    }

    fn prepare(&mut self, _: &mut Lookup<'_>) {}

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> Components<'r, S, Q, F> {
        Components::declared()
    }
}

impl<S, Q, F> Param for Components<'_, S, Q, F>
where
    S: EntityStore,
    Q: ComponentTerms<S>,
    F: EntityFilter<S>,
{
    type State = DeclaredComponents<S, Q, F>;
    const SEED: Seed<Self::State> = Seed::new(Self::ACCESS, || DeclaredComponents(PhantomData));
}

mod sealed {
    #[expect(unnameable_types, reason = "only this module may implement it")]
    pub trait SealedTerms {}
}

impl<C: Component> sealed::SealedTerms for &'static C {}

impl<S: EntityStore, C: Component> ComponentTerms<S> for &'static C {
    const ACCESS: Access = Access::Read(component::<S, C>());
    const REQUIRED: FilterTerm = FilterTerm::With(component::<S, C>());
}

impl<C: Component> sealed::SealedTerms for &'static mut C {}

impl<S: EntityStore, C: Component> ComponentTerms<S> for &'static mut C {
    const ACCESS: Access = Access::Write(component::<S, C>());
    const REQUIRED: FilterTerm = FilterTerm::With(component::<S, C>());
}

impl<Q: sealed::SealedTerms> sealed::SealedTerms for Option<Q> {}

impl<S: EntityStore, Q: ComponentTerms<S>> ComponentTerms<S> for Option<Q> {
    const ACCESS: Access = Q::ACCESS;
    const REQUIRED: FilterTerm = FilterTerm::All(&[]);
}

macro_rules! tuples {
    ($($term:ident $index:tt),*) => {
        impl<$($term: sealed::SealedTerms),*> sealed::SealedTerms for ($($term,)*) {}

        impl<S: EntityStore, $($term: ComponentTerms<S>),*> ComponentTerms<S> for ($($term,)*) {
            const ACCESS: Access = Access::Each(&[$($term::ACCESS),*]);
            const REQUIRED: FilterTerm = FilterTerm::All(&[$($term::REQUIRED),*]);
        }
    };
}

tuples!();
crate::__for_each_tuple!(tuples);
