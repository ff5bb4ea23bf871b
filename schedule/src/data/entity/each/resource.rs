//! Resources as parameters, which have the attribute `#[resource]`. They are fetched once for all entities.

use crate::data::param::state::{
    MutWrite, OptionMutWrite, OptionRead, OptionRefRead, Partials, Read, ReadAll, RefRead, Write,
    WriteAll,
};
use crate::data::param::{Fetch, Fold, Foldable, Mut, Param, Ref, Seed};
use crate::data::resource::{Resource, Resources};

/// A parameter with `#[resource]`. [`accept_resource`](crate::entity::accept_resource) rejects those that write or fold.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a resource of a `for_each` system",
    label = "not a reference to a resource",
    note = "take a resource as `&R` or `Option<&R>`, where `R` has `#[derive(Resource)]`; if it is a component of the entity, remove `#[resource]`",
    note = "for all other data, write a system with a query and a loop"
)]
pub trait EachResource {
    /// [`Param::State`].
    type State;
    /// [`Param::SEED`].
    const READ: Seed<Self::State>;
}

macro_rules! each_resource {
    ($([$($resource:ident)?] $param:ty;)*) => {
        $(
            // If the type is not a resource, the error is about this trait, whose note mentions components.
            #[diagnostic::do_not_recommend]
            impl<$($resource: Resource)?> EachResource for $param {
                type State = <Self as Param>::State;
                const READ: Seed<Self::State> = Self::SEED;
            }
        )*
    };
}

#[diagnostic::do_not_recommend]
impl<R: Foldable> EachResource for Fold<'_, R, R::Partial> {
    type State = <Self as Param>::State;
    const READ: Seed<Self::State> = Self::SEED;
}

each_resource! {
    [R] &R;
    [R] Option<&R>;
    [R] &mut R;
    [R] Ref<'_, R>;
    [R] Option<Ref<'_, R>>;
    [R] Mut<'_, R>;
    [R] Option<Mut<'_, R>>;
    [] &Resources;
    [] &mut Resources;
}

/// The states of resources that threads share.
///
/// The implementations do not require that a type is a resource, so that the compiler reports a type that is none only once.
#[doc(hidden)]
pub trait SharedResources: Fetch {
    /// References to the resources.
    type Shared<'s>: Copy + Send + Sync;

    /// Returns what threads share.
    fn share<'s>(resources: &'s Self::Item<'_>) -> Self::Shared<'s>;

    /// Returns the parameters for an entity.
    fn get(shared: Self::Shared<'_>) -> Self::Item<'_>;
}

macro_rules! shared {
    ($state:ident, $lent:lifetime $item:ty, $part:ty) => {
        impl<R: Sync + 'static> SharedResources for $state<R> {
            type Shared<$lent> = $item;

            #[inline]
            fn share<$lent>(resource: &$lent $part) -> $item {
                *resource
            }

            #[inline(always)]
            fn get(resource: Self::Shared<'_>) -> Self::Item<'_> {
                resource
            }
        }
    };
}

shared!(Read, 's &'s R, &R);
shared!(OptionRead, 's Option<&'s R>, Option<&R>);
shared!(RefRead, 's Ref<'s, R>, Ref<'_, R>);
shared!(OptionRefRead, 's Option<Ref<'s, R>>, Option<Ref<'_, R>>);

/// Implements [`SharedResources`] for a parameter that [`accept_resource`](crate::entity::accept_resource) rejects.
macro_rules! refused {
    ($([$($generics:tt)*] $state:ty;)*) => {
        $(
            impl<$($generics)*> SharedResources for $state {
                type Shared<'s> = ();

                fn share<'s>(_: &'s Self::Item<'_>) -> Self::Shared<'s> {}

                fn get((): Self::Shared<'_>) -> Self::Item<'_> {
                    unreachable!("no system has this parameter")
                }
            }
        )*
    };
}

refused! {
    [T: 'static] Write<T>;
    [T: 'static] MutWrite<T>;
    [T: 'static] OptionMutWrite<T>;
    [R: 'static, P: Default + Send + 'static] Partials<R, P>;
    [] ReadAll;
    [] WriteAll;
}

macro_rules! tuples {
    ($($state:ident $index:tt),*) => {
        #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple has no elements")]
        impl<$($state: SharedResources),*> SharedResources for ($($state,)*) {
            type Shared<'s> = ($($state::Shared<'s>,)*);

            #[inline]
            fn share<'s>(resources: &'s Self::Item<'_>) -> Self::Shared<'s> {
                ($($state::share(&resources.$index),)*)
            }

            #[inline(always)]
            fn get(shared: Self::Shared<'_>) -> Self::Item<'_> {
                ($($state::get(shared.$index),)*)
            }
        }
    };
}

tuples!();
crate::__for_each_tuple!(tuples);
