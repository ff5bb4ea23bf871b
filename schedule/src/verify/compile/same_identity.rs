//! Finds types that cannot be distinguished, because they have the same identity.

use core::any::TypeId;
use core::panic::Location;
use std::collections::HashMap;

use super::All;
use crate::base::place::SystemPlace;
use crate::data::order::Reference;
use crate::data::target::{Named, Target};
use crate::declare::problem::Problem;

/// Finds different types with the same identity, also those that only orders, groups or policies name. Reports each such type once.
/// O(nodes + orders + memberships + policies).
pub(super) fn same_identities(all: All<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut seen: HashMap<u128, Vec<(TypeId, Typed<'_>)>> = HashMap::new();
    let nodes = all.there().filter_map(|(idx, node)| {
        let (ty, id) = node.ty?;
        Some((id, ty, Typed::Node(idx)))
    });
    let references = references(all)
        .filter_map(|(one, location)| Some((one.id, one.ty()?, Typed::Named(one, location))));
    for (id, ty, typed) in nodes.chain(references) {
        let known = seen.entry(id).or_default();
        if known.iter().any(|known| known.0 == ty) {
            continue;
        }
        if let Some((_, first)) = known.first() {
            problems.push(Problem::SameIdentity {
                first: first.place(all),
                second: typed.place(all),
            });
        }
        known.push((ty, typed));
    }
    problems
}

/// A use of a type with an identity.
enum Typed<'a> {
    Node(usize),
    Named(&'a Reference, &'static Location<'static>),
}

impl Typed<'_> {
    fn place(&self, all: All<'_>) -> SystemPlace {
        match self {
            Self::Node(idx) => all.place(*idx).clone(),
            Self::Named(reference, location) => SystemPlace {
                name: reference.to_string(),
                location,
            },
        }
    }
}

/// Returns the types that groups, orders and policies name.
fn references<'a>(
    all: All<'a>,
) -> impl Iterator<Item = (&'a Reference, &'static Location<'static>)> {
    let of_target = |target: &'a Target| match &target.0 {
        Named::Type(reference) => Some(reference),
        Named::Node(_) | Named::Name(_) => None,
    };
    let groups = all
        .declared
        .groups
        .iter()
        .map(|one| (Some(&one.reference), one.location));
    let members = all.memberships().flat_map(move |one| {
        let member = of_target(&one.member);
        [(Some(&one.group), one.location), (member, one.location)]
    });
    let orders = all.orders().flat_map(move |(_, one)| {
        [&one.first, &one.then].map(|target| (of_target(target), one.location))
    });
    let pairs = all
        .declared
        .pair_policies
        .iter()
        .flat_map(move |(one, other, choice)| {
            [one, other].map(|target| (of_target(target), choice.location))
        });
    let failures = all
        .declared
        .failure_policies
        .iter()
        .map(move |(target, choice)| (of_target(target), choice.location));
    let every = groups
        .chain(members)
        .chain(orders)
        .chain(pairs)
        .chain(failures);
    every.filter_map(|(reference, location)| Some((reference?, location)))
}
