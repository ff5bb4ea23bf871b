//! Which groups there are, and what is in each of them.

use core::panic::Location;
use std::collections::HashMap;

use super::index::{Found, Index};
use super::{Builder, Level};
use crate::order::Reference;
use crate::problem::{NamedBy, Problem};
use crate::target::{Named, Target};
use schedule_graph::{Edge, internal::cycles};

/// A group, and where it is first spoken of.
pub(super) type Spoken = (Reference, &'static Location<'static>);

/// What is in which group.
pub(super) struct Members {
    /// What is directly in a group, which group, and where that was declared.
    pub(super) list: Vec<(Found, usize, &'static Location<'static>)>,
    /// `levels[g]`: that of the members of group g.
    levels: Vec<Level>,
    /// `of_groups[g]`: the groups that group g is directly in.
    of_groups: Vec<Vec<usize>>,
    /// The groups that a node is directly in.
    of_nodes: HashMap<usize, Vec<usize>>,
    /// A group is inside itself.
    pub(super) is_tangled: bool,
    /// `loops[i]`: the level of the i-th node that was added.
    loops: Vec<Level>,
}

/// Every group that is spoken of or has members, with the first place of it.
pub(super) fn distinct_groups(builder: &Builder) -> Vec<Spoken> {
    let mut groups: Vec<Spoken> = Vec::new();
    let mut known = HashMap::new();
    let added = builder
        .groups
        .iter()
        .map(|group| (group.reference, group.location));
    let joined = builder
        .memberships
        .iter()
        .map(|one| (one.group, one.location));
    for (reference, location) in added.chain(joined) {
        known.entry(reference.id).or_insert_with(|| {
            groups.push((reference, location));
        });
    }
    groups
}

impl Members {
    /// Reads the memberships.
    pub(super) fn new(
        builder: &Builder,
        index: &Index<'_>,
        groups: &[Spoken],
        problems: &mut Vec<Problem>,
    ) -> Self {
        let mut members = Self {
            list: Vec::new(),
            levels: Vec::new(),
            of_groups: vec![Vec::new(); groups.len()],
            of_nodes: HashMap::new(),
            is_tangled: false,
            loops: builder.nodes.iter().map(|node| node.level).collect(),
        };
        for membership in &builder.memberships {
            let location = membership.location;
            let group = Target(Named::Type(membership.group));
            match (
                index.find(&membership.member, location),
                index.find(&group, location),
            ) {
                (Ok(member), Ok(Found::Group(group))) => {
                    members.list.push((member, group, location));
                    match member {
                        Found::Node(node) => members.of_nodes.entry(node).or_default().push(group),
                        Found::Group(member) => members.of_groups[member].push(group),
                    }
                }
                (member, group) => {
                    let found = [member.err(), group.err()].into_iter().flatten();
                    problems.extend(found.map(|problem| problem.named_by(NamedBy::GroupMember)));
                }
            }
        }
        members.is_tangled = members.tell_of_tangles(groups, problems);
        members.levels = members.find_levels(builder, index, groups, problems);
        members
    }

    /// Tells of groups inside themselves, one cycle for each tangle of them; returns whether there is any.
    fn tell_of_tangles(&self, groups: &[Spoken], problems: &mut Vec<Problem>) -> bool {
        let mut edges = Vec::new();
        let mut locations = Vec::new();
        for &(member, group, location) in &self.list {
            if let Found::Group(member) = member {
                edges.push(Edge {
                    from: member as u32,
                    to: group as u32,
                });
                locations.push(location);
            }
        }
        let cycles = cycles(groups.len(), &edges);
        for cycle in &cycles {
            let names = cycle.iter().map(|&edge| edges[edge as usize].from);
            problems.push(Problem::GroupInItself {
                groups: names
                    .map(|group| groups[group as usize].0.to_string())
                    .collect(),
                location: locations[*cycle.last().expect("a cycle has an edge") as usize],
            });
        }
        !cycles.is_empty()
    }

    /// The level of each group: that of its members, or of where an empty one is spoken of. Members of another level are
    /// told of, and dropped.
    fn find_levels(
        &mut self,
        builder: &Builder,
        index: &Index<'_>,
        groups: &[Spoken],
        problems: &mut Vec<Problem>,
    ) -> Vec<Level> {
        // The first member of each, directly or through other groups; as many passes as groups are deep.
        let firsts = self.first_members(groups.len());
        let spoken = |group: usize| {
            let id = groups[group].0.id;
            let spoken = builder.groups.iter().find(|group| group.reference.id == id);
            spoken.and_then(|group| group.level)
        };
        let level_of_node = |node: usize| builder.nodes[node].level;
        let levels = firsts
            .iter()
            .enumerate()
            .map(|(group, first)| match *first {
                usize::MAX => spoken(group),
                first => level_of_node(first),
            });
        let mut levels: Vec<Level> = levels.collect();
        // A group that nothing is in stands where a group stands that it is in; as many passes as groups are deep.
        let mut is_placed: Vec<bool> = firsts.iter().map(|first| *first != usize::MAX).collect();
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for &(member, group, _) in &self.list {
                if let Found::Group(member) = member
                    && is_placed[group]
                    && !core::mem::replace(&mut is_placed[member], true)
                {
                    levels[member] = levels[group];
                    has_changed = true;
                }
            }
        }
        let mut is_told = vec![false; groups.len()];
        self.list.retain(|&(member, group, _)| {
            let level = match member {
                Found::Node(node) => level_of_node(node),
                Found::Group(group) => levels[group],
            };
            let is_of_level = level == levels[group];
            if !is_of_level && !core::mem::replace(&mut is_told[group], true) {
                let first = match firsts[group] {
                    usize::MAX => Found::Group(group),
                    first => Found::Node(first),
                };
                problems.push(Problem::GroupOverLevels {
                    group: groups[group].0.to_string(),
                    first: index.place(first),
                    second: index.place(member),
                });
            }
            is_of_level
        });
        levels
    }

    /// `firsts[g]`: the node in group g that was added first, directly or through other groups; else `usize::MAX`.
    pub(super) fn first_members(&self, n_groups: usize) -> Vec<usize> {
        let mut firsts = vec![usize::MAX; n_groups];
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for &(member, group, _) in &self.list {
                let candidate = match member {
                    Found::Node(idx) => idx,
                    Found::Group(idx) => firsts[idx],
                };
                if candidate < firsts[group] {
                    firsts[group] = candidate;
                    has_changed = true;
                }
            }
        }
        firsts
    }

    pub(super) fn level(&self, group: usize) -> Level {
        self.levels[group]
    }

    /// Every group that it is in, directly or through others, or that a loop around it is in. O(groups around it).
    pub(super) fn holders(&self, member: Found) -> Vec<usize> {
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

    /// The group and the member, if one of these is a group and the other is in it.
    pub(super) fn against_member(&self, first: Found, then: Found) -> Option<(usize, Found)> {
        match (first, then) {
            (Found::Group(group), member) if self.holders(member).contains(&group) => {
                Some((group, member))
            }
            (member, Found::Group(group)) if self.holders(member).contains(&group) => {
                Some((group, member))
            }
            _ => None,
        }
    }

    /// All nodes in it, directly or through groups; ascending.
    pub(super) fn nodes(&self, found: Found) -> Vec<usize> {
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
