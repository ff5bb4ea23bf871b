//! An index of all nodes and groups that orders and policies can name.

use core::panic::Location;
use std::collections::HashMap;

use super::All;
use super::naming::ByName;
use super::similar::Similar;
use crate::base::module_path::{needed_modules, split};
use crate::base::place::SystemPlace;
use crate::data::order::Reference;
use crate::data::target::{Named, Target};
use crate::declare::declarations::{DeclaredOrder, matches};
use crate::declare::problem::{NamedBy, Problem};

/// The match of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Found {
    Node(usize),
    Group(usize),
}

/// An index of all nodes and groups, by identity and by name.
pub(crate) struct Index<'b> {
    all: All<'b>,
    by_id: HashMap<u128, Vec<Found>>,
    by_name: ByName<Found>,
    groups: &'b [(Reference, &'static Location<'static>)],
    group_names: Vec<String>,
    similar: Similar,
    /// Whether any node is removed.
    has_removed: bool,
}

impl<'b> Index<'b> {
    pub(crate) fn new(all: All<'b>, groups: &'b [(Reference, &'static Location<'static>)]) -> Self {
        // Most schedules name no target by text, so the names are indexed only on demand.
        let names_asked = |target: &Target| matches!(target.0, Named::Name(_));
        let is_asked = all
            .orders()
            .any(|(_, order)| names_asked(&order.first) || names_asked(&order.then))
            || all
                .declared
                .pair_policies
                .iter()
                .any(|(a, b, _)| names_asked(a) || names_asked(b))
            || all
                .declared
                .failure_policies
                .iter()
                .any(|(target, _)| names_asked(target));
        Self::with_names(all, groups, is_asked)
    }

    /// Like [`new`](Self::new), with an index of the names if `is_asked`.
    pub(crate) fn with_names(
        all: All<'b>,
        groups: &'b [(Reference, &'static Location<'static>)],
        is_asked: bool,
    ) -> Self {
        let mut by_id: HashMap<u128, Vec<Found>> = HashMap::new();
        let mut by_name = ByName::default();
        for (idx, node) in all.there() {
            if let Some((_, id)) = node.ty {
                by_id.entry(id).or_default().push(Found::Node(idx));
            }
        }
        if is_asked {
            for (idx, node) in all.there() {
                by_name.insert(node.short_name(), node.module(), Found::Node(idx));
            }
            for (idx, (reference, _)) in groups.iter().enumerate() {
                by_name.insert(
                    &reference.to_string(),
                    reference.module(),
                    Found::Group(idx),
                );
            }
        }
        for (idx, (reference, _)) in groups.iter().enumerate() {
            by_id
                .entry(reference.id)
                .or_default()
                .push(Found::Group(idx));
        }
        let group_names = groups.iter().map(|(group, _)| group.to_string()).collect();
        Self {
            all,
            by_id,
            by_name,
            groups,
            group_names,
            similar: Similar::default(),
            has_removed: all.nodes().any(|node| !node.is_there()),
        }
    }

    /// Finds the match of a target. Fails if the target has no match or several matches.
    pub(crate) fn find(
        &self,
        target: &Target,
        location: &'static Location<'static>,
    ) -> Result<Found, Problem> {
        let found: Vec<Found> = match &target.0 {
            Named::Node(id) => match self.all.index_of(*id) {
                Some(idx) => return Ok(Found::Node(idx)),
                None => Vec::new(),
            },
            Named::Type(reference) => self.by_id.get(&reference.id).cloned().unwrap_or_default(),
            Named::Name(name) => self.by_name.find(name),
        };
        let name = || match &target.0 {
            Named::Node(id) => format!("node {}", id.number()),
            Named::Type(reference) => reference.to_string(),
            Named::Name(name) => name.to_string(),
        };
        match found.as_slice() {
            [only] => Ok(*only),
            [] => {
                // If no node was removed, the search among removed nodes can be skipped.
                let may_be_removed = self.has_removed || matches!(target.0, Named::Node(_));
                let removed = may_be_removed.then(|| removed(self.all, target, location));
                Err(match removed.flatten() {
                    Some(problem) => problem,
                    None => {
                        // The module of a type cannot contain a typing error, so a type of the same name in another module comes first.
                        let is_type = matches!(target.0, Named::Type(_));
                        let near = || self.nearest(&name()).map(|near| (name(), Some(near), None));
                        let of_this_name = || {
                            let (name, other) = self.of_this_name(target)?;
                            Some((name, None, Some(other)))
                        };
                        let other = if is_type {
                            of_this_name().or_else(near)
                        } else {
                            near().or_else(of_this_name)
                        };
                        let (name, nearest, same_name) =
                            other.unwrap_or_else(|| (name(), None, None));
                        Problem::Dangling {
                            name,
                            nearest,
                            same_name,
                            named_by: NamedBy::Call,
                            location,
                        }
                    }
                })
            }
            several => Err(Problem::Ambiguous {
                name: name(),
                candidates: several.iter().map(|found| self.place(*found)).collect(),
                location,
            }),
        }
    }

    pub(crate) fn place(&self, found: Found) -> SystemPlace {
        match found {
            Found::Node(idx) => self.all.place(idx).clone(),
            Found::Group(idx) => SystemPlace {
                name: self.group_names[idx].clone(),
                location: self.groups[idx].1,
            },
        }
    }

    /// Finds the only node or group that has the same short name as an unmatched target. Returns both names, with the shortest module
    /// prefixes that distinguish them.
    fn of_this_name(&self, target: &Target) -> Option<(String, String)> {
        let (text, own_module);
        let (module, short) = match &target.0 {
            Named::Type(reference) => {
                (text, own_module) = (reference.to_string(), reference.module()?);
                (own_module, text.as_str())
            }
            Named::Name(name) => split(name)?,
            Named::Node(_) => return None,
        };
        let nodes = self
            .all
            .there()
            .map(|(_, node)| (node.short_name(), node.module()));
        let groups = self
            .groups
            .iter()
            .zip(&self.group_names)
            .map(|((group, _), name)| (name.as_str(), group.module()));
        let mut others = nodes.chain(groups).filter(|(other, _)| *other == short);
        let (Some((_, Some(other))), None) = (others.next(), others.next()) else {
            return None;
        };
        let path = |module, other| {
            let needed = needed_modules(module, &[other])?;
            Some(format!("{needed}::{short}"))
        };
        Some((path(module, other)?, path(other, module)?))
    }

    /// Returns the name of the node or group that is most similar to `name`, if one is similar enough.
    fn nearest(&self, name: &str) -> Option<String> {
        let nodes = self
            .all
            .there()
            .map(|(idx, node)| (self.all.place(idx).name.as_str(), node.module()));
        let groups = self.groups.iter().zip(&self.group_names);
        // A user does not name the group of an implied condition.
        let groups = groups
            .filter(|((group, _), _)| !self.has_only_implied(group.id))
            .map(|((group, _), name)| (name.as_str(), group.module()));
        self.similar.nearest(name, nodes.chain(groups))
    }

    /// Returns whether an order comes from `on_enter` or `on_exit`: a condition at the same location uses its target as `level_of`.
    pub(super) fn is_state_change(&self, order: &DeclaredOrder) -> bool {
        let names = |target: &Target, id: u128| matches!(&target.0, Named::Type(reference) if reference.id == id);
        let guards = self.all.guards();
        let mut leaves = guards.flat_map(|guard| guard.formula.leaves());
        leaves.any(|leaf| {
            leaf.location == order.location
                && leaf
                    .level_of
                    .is_some_and(|node| names(&order.first, node.id) || names(&order.then, node.id))
        })
    }

    /// Returns whether a group has members and all of them are implied conditions.
    fn has_only_implied(&self, group: u128) -> bool {
        let mut members = self
            .all
            .memberships()
            .filter(|one| one.group.id == group)
            .peekable();
        let is_implied = |member: &Target| match member.0 {
            Named::Node(id) => self
                .all
                .node(self.all.index_of_subject(id))
                .implied
                .is_some(),
            _ => false,
        };
        members.peek().is_some() && members.all(|one| is_implied(&one.member))
    }
}

/// Returns the problem of an unmatched target that would match a removed node. If it matches several, the problem names the last one.
///
/// Only the id is known of a node that an earlier change removed.
pub(super) fn removed(
    all: All<'_>,
    target: &Target,
    location: &'static Location<'static>,
) -> Option<Problem> {
    let named_by = NamedBy::Call;
    let nodes = &all.declared.nodes;
    let removed = match target.0 {
        Named::Node(id) => all.declared.index_of(id),
        Named::Type(_) | Named::Name(_) => nodes
            .iter()
            .rposition(|node| !node.is_there() && matches(target, node)),
    };
    match (removed, &target.0) {
        (Some(idx), _) => Some(Problem::Removed {
            removed: all.place(idx).clone(),
            named_by,
            location,
        }),
        (None, Named::Node(id)) if id.number() < all.declared.next_id() => {
            Some(Problem::RemovedEarlier { named_by, location })
        }
        (None, _) => None,
    }
}
