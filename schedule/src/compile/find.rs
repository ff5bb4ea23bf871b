//! Finds the node or group that a target matches, without an index of all names: for single calls.

use core::panic::Location;
use std::collections::HashMap;

use super::All;
use super::index::{self, Index};
use super::members::distinct_groups;
use crate::declarations::{matches, matches_group};
use crate::order::Reference;
use crate::problem::Problem;
use crate::target::{Named, Target};

/// What a target matches: a node by its index, or a group.
pub(crate) enum Match {
    Node(usize),
    Group(Reference),
}

/// What is in a group, directly or through groups.
#[derive(Default)]
pub(crate) struct Inside {
    pub(crate) nodes: Vec<usize>,
    /// By identity; the group itself, too.
    pub(crate) groups: HashMap<u128, Reference>,
}

/// What a target matches; O(log(nodes)) for an id, and else O(nodes + memberships). Allocates only to tell of an error.
pub(crate) fn find(
    all: All<'_>,
    target: &Target,
    location: &'static Location<'static>,
) -> Result<Match, Problem> {
    let only = match &target.0 {
        Named::Node(id) => all.index_of(*id).map(Match::Node),
        Named::Type(_) | Named::Name(_) => {
            let mut nodes = all.there().filter(|(_, node)| matches(target, node));
            let groups = all.declared.groups.iter().map(|one| one.reference);
            let groups = groups.chain(all.memberships().map(|one| one.group));
            let mut groups = groups.filter(|group| matches_group(target, *group));
            // A group may be spoken of several times.
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

/// Finds what is in a group, in place of what was found before. O(memberships × how deep groups nest).
pub(crate) fn find_inside(all: All<'_>, group: Reference, inside: &mut Inside) {
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
