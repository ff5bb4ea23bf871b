//! The systems of random schedules: queries as types, and the same queries as data for the interpreter.

use schedule::Builder;
use schedule_hecs::prelude::*;
use schedule_hecs::{QueryFilter, QueryTerms, StaticTerms};

use super::case::{Fault, Visit};
use super::parts::{A, B, C, D, E, N, Tag, Value, Values, mix};
use super::subject::Body;

/// A term, or a tuple of terms, as data.
pub(super) enum Term {
    Read(usize),
    Write(usize),
    Id,
    Maybe(&'static [Term]),
}

/// A filter as data.
pub(super) enum Filter {
    With(usize),
    Without(usize),
    All(&'static [Filter]),
    Any(&'static [Filter]),
}

/// A query as data.
pub(super) struct Spec {
    pub(super) terms: &'static [Term],
    pub(super) filter: Filter,
}

impl Term {
    pub(super) fn matches(&self, has: &impl Fn(usize) -> bool) -> bool {
        match self {
            Self::Read(part) | Self::Write(part) => has(*part),
            Self::Id | Self::Maybe(_) => true,
        }
    }

    /// Adds the accessed components, each with the fact whether it is written.
    fn access(&self, to: &mut [Option<bool>; N]) {
        match self {
            Self::Read(part) => to[*part] = to[*part].max(Some(false)),
            Self::Write(part) => to[*part] = Some(true),
            Self::Id => {}
            Self::Maybe(terms) => terms.iter().for_each(|term| term.access(to)),
        }
    }
}

impl Filter {
    fn matches(&self, has: &impl Fn(usize) -> bool) -> bool {
        match self {
            Self::With(part) => has(*part),
            Self::Without(part) => !has(*part),
            Self::All(filters) => filters.iter().all(|filter| filter.matches(has)),
            Self::Any(filters) => filters.iter().any(|filter| filter.matches(has)),
        }
    }
}

impl Spec {
    pub(super) fn matches(&self, has: impl Fn(usize) -> bool) -> bool {
        self.terms.iter().all(|term| term.matches(&has)) && self.filter.matches(&has)
    }

    pub(super) fn matches_entity(&self, values: &Values) -> bool {
        self.matches(|part| values[part].is_some())
    }

    /// For each component, whether it is written, or `None` if it is not accessed.
    pub(super) fn access(&self) -> [Option<bool>; N] {
        let mut access = [None; N];
        self.terms.iter().for_each(|term| term.access(&mut access));
        access
    }

    /// Whether an entity with some set of components matches both queries.
    pub(super) fn meets(&self, other: &Self) -> bool {
        (0..1 << N).any(|set: usize| {
            let has = |part: usize| set >> part & 1 == 1;
            self.matches(has) && other.matches(has)
        })
    }
}

/// What a system does with an item: it combines all values, and then writes the result.
pub(super) trait Touch {
    fn see(&self, seen: u64) -> u64;

    fn write(&mut self, seen: u64);
}

impl<T: Value> Touch for &T {
    fn see(&self, seen: u64) -> u64 {
        mix(seen, self.number())
    }

    fn write(&mut self, _: u64) {}
}

impl<T: Value> Touch for &mut T {
    fn see(&self, seen: u64) -> u64 {
        mix(seen, self.number())
    }

    fn write(&mut self, seen: u64) {
        **self = T::new(mix(seen, T::NUMBER as u64));
    }
}

impl Touch for Entity {
    fn see(&self, seen: u64) -> u64 {
        mix(seen, self.to_bits().get())
    }

    fn write(&mut self, _: u64) {}
}

/// What replaces an item that is missing.
pub(super) const MISSING: u64 = 3;

impl<T: Touch> Touch for Option<T> {
    fn see(&self, seen: u64) -> u64 {
        self.as_ref()
            .map_or(mix(seen, MISSING), |item| item.see(seen))
    }

    fn write(&mut self, seen: u64) {
        if let Some(item) = self {
            item.write(seen);
        }
    }
}

macro_rules! tuples {
    ($($term:ident)*) => {
        #[allow(
            non_snake_case,
            unused_variables,
            clippy::unused_unit,
            reason = "variables have the names of the type parameters, and the empty tuple has none"
        )]
        impl<$($term: Touch),*> Touch for ($($term,)*) {
            fn see(&self, seen: u64) -> u64 {
                let ($($term,)*) = self;
                $(let seen = $term.see(seen);)*
                seen
            }

            fn write(&mut self, seen: u64) {
                let ($($term,)*) = self;
                $($term.write(seen);)*
            }
        }
    };
}

tuples!();
tuples!(P);
tuples!(P Q);
tuples!(P Q R);
tuples!(P Q R S);

fn touch(mut item: impl Touch, seen: u64) -> u64 {
    let seen = item.see(seen);
    item.write(seen);
    seen
}

/// Visits the entities of a query. A failure occurs before the second half of them, or at the end.
///
/// # Errors
///
/// Fails if the fault is an error.
pub(super) fn visit<Q, F>(
    body: &Body,
    fault: Option<Fault>,
    query: &mut Query<Q, F>,
    mut seen: u64,
) -> Result<u64, String>
where
    Q: QueryTerms,
    F: QueryFilter,
    for<'q> <Q::Static as StaticTerms>::Item<'q>: Touch,
{
    let fail = || body.fail(fault);
    match body.visit {
        Visit::Next => {
            let half = query.len() / 2;
            for (row, item) in query.iter_mut().enumerate() {
                if row == half {
                    fail()?;
                }
                seen = touch(item, seen);
            }
        }
        Visit::Fold => {
            let mut items = query.iter_mut();
            let first = items.next().map(|item| touch(item, seen));
            seen = items.fold(first.unwrap_or(seen), |seen, item| touch(item, seen));
        }
        Visit::Parallel => {
            query.par_for_each(|item| {
                touch(item, seen);
            });
            seen = mix(seen, query.len() as u64);
        }
        Visit::ById => {
            for &entity in &*body.known() {
                assert_eq!(query.contains(entity), query.get_mut(entity).is_some());
                seen = touch(query.get_mut(entity), seen);
            }
        }
        Visit::ManyById => {
            let known = body.known();
            for pair in known.chunks_exact(2) {
                for item in query.get_many_mut([pair[0], pair[1], pair[0]]) {
                    seen = touch(item, seen);
                }
            }
        }
        Visit::Single => seen = touch(query.single_mut().ok(), seen),
    }
    fail()?;
    Ok(seen)
}

macro_rules! pool {
    ($($nth:literal: $(($terms:ty, $filter:ty): ($($term:expr),*), $as_filter:expr);+;)*) => {
        /// The queries of each system of the pool.
        pub(super) const POOL: &[&[Spec]] = {
            use Filter::{All, Any, With, Without};
            use Term::{Id, Maybe, Read, Write};
            &[$(&[$(Spec { terms: &[$($term),*], filter: $as_filter }),+]),*]
        };

        /// Adds the system of the pool with this number.
        pub(super) fn add(builder: &mut Builder, nth: usize, body: Body) {
            let name = body.idx.to_string();
            match nth {
                $($nth => {
                    pool!(@add builder, name, body, $(($terms, $filter))+);
                })*
                _ => unreachable!("the number is below the number of systems"),
            }
        }
    };
    (@add $builder:ident, $name:ident, $body:ident, ($terms:ty, $filter:ty)) => {
        $builder.add_closure($name, move |mut query: Query<$terms, $filter>| {
            let (fault, seen) = $body.start();
            $body.end(visit(&$body, fault, &mut query, seen))
        })
    };
    (@add $builder:ident, $name:ident, $body:ident,
        ($terms:ty, $filter:ty) ($others:ty, $other_filter:ty)) => {
        $builder.add_closure(
            $name,
            move |mut query: Query<$terms, $filter>, mut other: Query<$others, $other_filter>| {
                let (fault, seen) = $body.start();
                let first = visit(&$body, None, &mut query, seen);
                $body.end(first.and_then(|seen| visit(&$body, fault, &mut other, seen)))
            },
        )
    };
}

macro_rules! conditions {
    ($($nth:literal: ($terms:ty, $filter:ty): ($($term:expr),*), $as_filter:expr;)*) => {
        /// The queries of the conditions.
        pub(super) const CONDITIONS: &[Spec] = {
            use Filter::{With, Without};
            use Term::{Id, Maybe, Read};
            &[$(Spec { terms: &[$($term),*], filter: $as_filter }),*]
        };

        /// Adds the condition with this number as node `idx`.
        pub(super) fn add_condition(builder: &mut Builder, nth: usize, idx: usize) {
            let name = idx.to_string();
            match nth {
                $($nth => builder.add_closure(name, move |query: Query<$terms, $filter>| {
                    holds(query.iter().fold(idx as u64, |seen, item| item.see(seen)))
                }),)*
                _ => unreachable!("the number is below the number of conditions"),
            };
        }
    };
}

/// Whether a condition is true, by the combination of all values that it has seen.
pub(super) fn holds(seen: u64) -> bool {
    !seen.is_multiple_of(4)
}

conditions! {
    0: ((&A, &B), ()): (Read(0), Read(1)), NO_FILTER;
    1: (&C, Without<D>): (Read(2)), Without(3);
    2: ((Entity, Option<&E>), With<D>): (Id, Maybe(&[Read(4)])), With(3);
    3: (Entity, ()): (Id), NO_FILTER;
}

const NO_FILTER: Filter = Filter::All(&[]);

pool! {
    0: (&mut A, ()): (Write(0)), NO_FILTER;
    1: (&A, ()): (Read(0)), NO_FILTER;
    2: ((&mut A, &B), ()): (Write(0), Read(1)), NO_FILTER;
    3: ((&mut A, &mut B), Without<Tag>): (Write(0), Write(1)), Without(5);
    4: (&mut A, With<Tag>): (Write(0)), With(5);
    5: ((Entity, &mut B), Without<A>): (Id, Write(1)), Without(0);
    6: ((Entity, Option<&mut C>), ()): (Id, Maybe(&[Write(2)])), NO_FILTER;
    7: ((&mut C, Option<(&A, &B)>), ()): (Write(2), Maybe(&[Read(0), Read(1)])), NO_FILTER;
    8: ((&C, (&mut D, Entity)), ()): (Read(2), Write(3), Id), NO_FILTER;
    9: (&mut D, (Without<C>, With<A>)): (Write(3)), All(&[Without(2), With(0)]);
    10: (&mut E, ()): (Write(4)), NO_FILTER;
    11: ((&E, &D), ()): (Read(4), Read(3)), NO_FILTER;
    12: ((&mut E, &mut D, &A), Without<B>): (Write(4), Write(3), Read(0)), Without(1);
    13: (&mut Tag, ()): (Write(5)), NO_FILTER;
    14: ((&Tag, &mut A), Or<(With<B>, With<C>)>): (Read(5), Write(0)), Any(&[With(1), With(2)]);
    15: (&mut A, (Without<B>, Without<C>)): (Write(0)), All(&[Without(1), Without(2)]);
    16: (&mut B, Or<(Without<D>, (With<E>, Without<A>))>):
        (Write(1)), Any(&[Without(3), All(&[With(4), Without(0)])]);
    17: (&mut B, (With<D>, Without<E>)): (Write(1)), All(&[With(3), Without(4)]);
    18: (Entity, ()): (Id), NO_FILTER;
    19: (Entity, Without<A>): (Id), Without(0);
    20: ((Option<&mut A>, Option<&mut B>, &C), Without<D>):
        (Maybe(&[Write(0)]), Maybe(&[Write(1)]), Read(2)), Without(3);
    21: ((), With<E>): (), With(4);
    22: (&A, Without<A>): (Read(0)), Without(0);
    23: (&mut C, Or<()>): (Write(2)), Any(&[]);
    24: (&mut A, With<Tag>): (Write(0)), With(5); ((&mut A, &B), Without<Tag>):
        (Write(0), Read(1)), Without(5);
    25: (&A, Without<E>): (Read(0)), Without(4); ((&mut A, &mut E), ()):
        (Write(0), Write(4)), NO_FILTER;
    26: ((&mut B, Option<&D>), With<C>): (Write(1), Maybe(&[Read(3)])), With(2); (&B, Without<C>):
        (Read(1)), Without(2);
    27: (&mut D, Or<(With<A>, With<B>)>): (Write(3)), Any(&[With(0), With(1)]); (&mut D, (Without<A>, Without<B>)):
        (Write(3)), All(&[Without(0), Without(1)]);
}
