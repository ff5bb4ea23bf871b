//! Finds all groups and the members of each group.

use core::panic::Location;
use std::collections::HashMap;

use schedule_graph::internal::{Groups, Item, Member, NONE};

use super::All;
use super::index::{Found, Index};
use crate::data::order::Reference;
use crate::data::target::{Named, Target};
use crate::declare::declarations::Level;
use crate::declare::problem::{NamedBy, Problem};

/// A group, and the location of its first occurrence.
pub(super) type LocatedGroup = (Reference, &'static Location<'static>);

/// A membership: the member, the index of the group, and the location of the declaration.
pub(super) type Located = (Found, usize, &'static Location<'static>);

/// Converts a level number to a level.
fn level_of(level: u32) -> Level {
    (level != NONE).then_some(level as usize)
}

/// The members of all groups.
#[derive(Default)]
pub(crate) struct Members {
    /// The direct memberships that are kept.
    pub(crate) list: Vec<Located>,
    /// `levels[g]`: the level of the members of group g.
    levels: Vec<Level>,
    /// `of_groups[g]`: the groups that directly contain group g.
    of_groups: Vec<Vec<usize>>,
    /// The groups that directly contain a node, by index of the node.
    of_nodes: HashMap<usize, Vec<usize>>,
    /// The location of each membership, including memberships that are not kept.
    locations: Vec<&'static Location<'static>>,
    /// Whether any group contains itself.
    pub(crate) has_group_cycle: bool,
    /// `loops[i]`: the level of declared node i.
    loops: Vec<Level>,
}

/// Returns every group that is declared or has members, with the location of its first occurrence.
pub(super) fn distinct_groups(all: All<'_>) -> Vec<LocatedGroup> {
    let mut groups: Vec<LocatedGroup> = Vec::new();
    let mut known = HashMap::new();
    let added = all
        .declared
        .groups
        .iter()
        .map(|group| (group.reference, group.location));
    let joined = all.memberships().map(|one| (one.group, one.location));
    for (reference, location) in added.chain(joined) {
        known.entry(reference.id).or_insert_with(|| {
            groups.push((reference, location));
        });
    }
    groups
}

impl Members {
    /// Resolves the memberships.
    pub(super) fn resolve(
        all: All<'_>,
        index: &Index<'_>,
        problems: &mut Vec<Problem>,
    ) -> Vec<Located> {
        let mut members = Vec::new();
        for membership in all.memberships() {
            let location = membership.location;
            let group = Target(Named::Type(membership.group));
            match (
                index.find(&membership.member, location),
                index.find(&group, location),
            ) {
                (Ok(member), Ok(Found::Group(group))) => members.push((member, group, location)),
                (member, group) => {
                    let found = [member.err(), group.err()].into_iter().flatten();
                    problems.extend(found.map(|problem| problem.named_by(NamedBy::GroupMember)));
                }
            }
        }
        members
    }

    /// Like [`resolve`](Self::resolve), but without an index of names. For declarations before conditions are implied.
    pub(super) fn declared(all: All<'_>, groups: &[LocatedGroup]) -> Vec<Member> {
        let numbers = (0..).zip(groups);
        let numbers: HashMap<u128, u32> = numbers.map(|(idx, (one, _))| (one.id, idx)).collect();
        let members = all.memberships().filter_map(|one| {
            let item = match &one.member.0 {
                Named::Node(id) => Item::Node(all.index_of_subject(*id) as u32),
                Named::Type(group) => Item::Group(*numbers.get(&group.id)?),
                Named::Name(_) => return None,
            };
            let group = *numbers.get(&one.group.id)?;
            Some(Member { item, group })
        });
        members.collect()
    }

    /// Makes the members of all groups. Reports groups that contain themselves, and members at another level than their group.
    pub(super) fn new(
        all: All<'_>,
        index: &Index<'_>,
        spoken: &[LocatedGroup],
        located: Vec<Located>,
        groups: &Groups<'_>,
        problems: &mut Vec<Problem>,
    ) -> Self {
        for tangle in 0..groups.n_tangles() {
            let members = (0..groups.n_in_tangle(tangle)).map(|nth| groups.in_tangle(tangle, nth));
            let members: Vec<&Located> = members.map(|member| &located[member]).collect();
            let names = members.iter().map(|(member, ..)| index.place(*member).name);
            problems.push(Problem::GroupInItself {
                groups: names.collect(),
                location: members.last().expect("a cycle has an edge").2,
            });
        }
        for &member in groups.misplaced() {
            let (second, group, _) = located[member as usize];
            let first = match groups.first(group as u32) {
                None => Found::Group(group),
                Some(first) => Found::Node(first as usize),
            };
            problems.push(Problem::GroupOverLevels {
                group: spoken[group].0.to_string(),
                first: index.place(first),
                second: index.place(second),
            });
        }
        let mut members = Self {
            list: Vec::new(),
            levels: (0..spoken.len() as u32)
                .map(|group| level_of(groups.level(Item::Group(group))))
                .collect(),
            of_groups: vec![Vec::new(); spoken.len()],
            of_nodes: HashMap::new(),
            locations: located.iter().map(|one| one.2).collect(),
            has_group_cycle: groups.is_tangled(),
            loops: all.nodes().map(|node| node.level).collect(),
        };
        for (idx, (member, group, location)) in located.into_iter().enumerate() {
            match member {
                Found::Node(node) => members.of_nodes.entry(node).or_default().push(group),
                Found::Group(member) => members.of_groups[member].push(group),
            }
            if groups.is_kept(idx) {
                members.list.push((member, group, location));
            }
        }
        members
    }

    /// Returns the location of a membership. `member` is an index into all resolved memberships.
    pub(super) fn location(&self, member: usize) -> &'static Location<'static> {
        self.locations[member]
    }

    pub(crate) fn level(&self, group: usize) -> Level {
        self.levels[group]
    }

    /// Returns every group that contains `member` or a loop around it, directly or through other groups. O(number of these groups).
    pub(crate) fn holders(&self, member: Found) -> Vec<usize> {
        let (direct, level) = match member {
            Found::Node(node) => (self.of_nodes.get(&node), self.loops[node]),
            Found::Group(group) => (Some(&self.of_groups[group]), self.level(group)),
        };
        let mut holders: Vec<usize> = Vec::new();
        let mut open: Vec<usize> = direct.cloned().unwrap_or_default();
        let loops = core::iter::successors(level, |around| self.loops[*around]);
        open.extend(
            loops
                .filter_map(|around| self.of_nodes.get(&around))
                .flatten(),
        );
        while let Some(holder) = open.pop() {
            if !holders.contains(&holder) {
                holders.push(holder);
                open.extend(&self.of_groups[holder]);
            }
        }
        holders.sort_unstable();
        holders
    }

    /// Returns all nodes that `found` contains, directly or through groups, in ascending order.
    pub(crate) fn nodes(&self, found: Found) -> Vec<usize> {
        let mut nodes = Vec::new();
        let mut is_seen = vec![false; self.of_groups.len()];
        let mut open = vec![found];
        while let Some(found) = open.pop() {
            match found {
                Found::Node(idx) => nodes.push(idx),
                Found::Group(group) if !core::mem::replace(&mut is_seen[group], true) => {
                    let inside = self.list.iter().filter(|(_, holder, _)| *holder == group);
                    open.extend(inside.map(|(member, ..)| *member));
                }
                Found::Group(_) => {}
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }
}
