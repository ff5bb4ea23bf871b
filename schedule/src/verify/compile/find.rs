//! Finds the node or group that a target matches, without an index of all names. Meant for single calls.

use core::panic::Location;
use std::collections::HashMap;

use super::All;
use super::index::{self, Index};
use super::members::distinct_groups;
use crate::data::order::Reference;
use crate::data::target::{Named, Target};
use crate::declare::declarations::{matches, matches_group};
use crate::declare::problem::Problem;

/// The match of a target: a node by its index, or a group.
pub(crate) enum Match {
    Node(usize),
    Group(Reference),
}

/// The contents of a group, direct and through nested groups.
#[derive(Default)]
pub(crate) struct GroupContents {
    pub(crate) nodes: Vec<usize>,
    /// Keyed by identity. Contains the group itself.
    pub(crate) groups: HashMap<u128, Reference>,
}

/// Finds the match of a target. Takes O(log(nodes)) for an id, otherwise O(nodes + memberships). Allocates only if the target has no single
/// match.
pub(crate) fn find(
    all: All<'_>,
    target: &Target,
    location: &'static Location<'static>,
) -> Result<Match, Problem> {
    let only = match &target.0 {
        Named::Node(id) => all.index_of(*id).map(Match::Node),
        Named::Type(_) | Named::Name(_) => {
            let mut nodes = all.there().filter(|(_, node)| matches(target, node));
            let mut groups = all
                .declared
                .groups
                .iter()
                .map(|one| one.reference)
                .chain(all.memberships().map(|one| one.group))
                .filter(|group| matches_group(target, *group));
            // The same group may occur several times.
            let group = groups.next();
            let other = group.and_then(|group| groups.find(|other| other.id != group.id));
            match (nodes.next(), nodes.next(), group, other) {
                (Some((idx, _)), None, None, None) => Some(Match::Node(idx)),
                (None, None, Some(group), None) => Some(Match::Group(group)),
                _ => None,
            }
        }
    };
    if let Some(only) = only {
        return Ok(only);
    }
    let groups = distinct_groups(all);
    let index = Index::with_names(all, &groups, true);
    let found = index.find(target, location)?;
    Ok(match found {
        index::Found::Node(idx) => Match::Node(idx),
        index::Found::Group(idx) => Match::Group(groups[idx].0),
    })
}

/// Finds the contents of a group and replaces the contents of `inside`. Takes O(memberships × nesting depth of groups).
pub(crate) fn find_contents(all: All<'_>, group: Reference, inside: &mut GroupContents) {
    inside.groups.clear();
    inside.groups.insert(group.id, group);
    let mut n_known = 0;
    while n_known < inside.groups.len() {
        n_known = inside.groups.len();
        inside.nodes.clear();
        for membership in all.memberships() {
            if inside.groups.contains_key(&membership.group.id) {
                match &membership.member.0 {
                    Named::Node(id) => inside.nodes.push(all.index_of_subject(*id)),
                    Named::Type(group) => {
                        inside.groups.insert(group.id, *group);
                    }
                    Named::Name(_) => unreachable!("what is added last joins"),
                }
            }
        }
    }
}
