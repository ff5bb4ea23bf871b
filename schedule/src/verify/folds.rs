//! Groups of systems whose partial results are joined into a resource at the same time.
//!
//! All systems of a group fold into one resource, at one level of the schedule. No system between them by rank accesses the resource in
//! another way. A system that does conflicts with each of them, so it is ordered before or after the whole group. So the
//! partial results can be joined when the last system of the group is completed.
//!
//! Messages are folded into their queue. Only for them, a system can also read the resource that it folds into. It is a group of its own.
//!
//! A loop that only folds into the resource, seen from outside, is a member of the group at its level. The partial results of its systems
//! are joined with those of the group. If systems in the loop also access the resource in another way, the body has
//! groups of its own, whose partial results are joined in each iteration.

mod left;

use core::any::TypeId;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use self::left::MembersLeft;
use crate::data::access::{AccessKind, AccessSet, ResourceId};
use crate::verify::plan::PlannedLoop;

/// The groups of a schedule.
#[derive(Debug, Default)]
pub(crate) struct Folds {
    groups: Vec<FoldGroup>,
    /// The groups of each member, ascending by rank. A loop is a member by the rank of its end.
    of_members: Vec<(u32, u32)>,
    /// The groups of loop conditions, ascending by the rank of the begin. Such a group has no other member.
    of_conditions: Vec<(u32, u32)>,
    /// Locked while a group is joined that has a member of another group, because both may be completed at the same time.
    joining: Mutex<()>,
}

/// A group of systems.
#[derive(Debug)]
pub(crate) struct FoldGroup {
    /// The resource.
    pub(crate) resource: TypeId,
    /// The members in schedule order. A loop is represented by its begin.
    pub(crate) members: Vec<u32>,
    /// The nodes of the same level that access the resource after the group in another way. A loop is represented by its begin.
    pub(crate) followers: Vec<u32>,
    /// Whether a member is also a member of another group.
    shares_member: bool,
    left: MembersLeft,
}

impl Folds {
    /// Finds the groups. `accesses[rank]`: the access of a node. A loop precedes the loops in its body. `around(rank)`: the index of the
    /// innermost loop around a node. O(nodes) for each resource that a system folds into.
    pub(crate) fn new(
        accesses: &[&AccessSet],
        loops: &[PlannedLoop],
        around: impl Fn(u32) -> Option<usize>,
    ) -> Self {
        let mut resources: Vec<&ResourceId> = Vec::new();
        for one in accesses.iter().flat_map(|access| &access.uses) {
            if one.kind == AccessKind::Fold && !resources.contains(&&one.resource) {
                resources.push(&one.resource);
            }
        }
        let mut folds = Self::default();
        if resources.is_empty() {
            return folds;
        }
        let nested = NestedNodes::new(accesses, loops, around);
        for resource in resources {
            let search = Search::new(&nested, resource);
            search.add_level(None, &mut folds);
        }
        folds.of_members.sort_unstable();
        folds.of_conditions.sort_unstable();
        for of_member in folds.of_members.chunk_by(|one, other| one.0 == other.0) {
            for &(_, group) in of_member {
                folds.groups[group as usize].shares_member |= of_member.len() > 1;
            }
        }
        folds
    }

    /// Whether no system folds.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Whether a node is a member of a group.
    pub(crate) fn has_member(&self, rank: u32) -> bool {
        !of(&self.of_members, rank).is_empty()
    }

    /// Completes a member in this pass of its level, whether it ran or not. Returns the groups whose last member it was. Their systems are
    /// completed, and the caller synchronises with the threads that completed them.
    pub(crate) fn complete(&self, member: u32) -> impl Iterator<Item = &FoldGroup> {
        let groups = of(&self.of_members, member).iter();
        let groups = groups.map(|&(_, group)| &self.groups[group as usize]);
        groups.filter(|group| group.left.complete())
    }

    /// Returns the groups of a loop condition, to be joined after each evaluation.
    pub(crate) fn of_condition(&self, begin: u32) -> impl Iterator<Item = &FoldGroup> {
        let groups = of(&self.of_conditions, begin).iter();
        groups.map(|&(_, group)| &self.groups[group as usize])
    }

    /// Excludes joins of other groups with the same members, as long as the result exists.
    pub(crate) fn lock(&self, group: &FoldGroup) -> Option<MutexGuard<'_, ()>> {
        let lock = || self.joining.lock().unwrap_or_else(PoisonError::into_inner);
        group.shares_member.then(lock)
    }
}

/// Returns the pairs with this first element from a sorted list. O(log n).
fn of(sorted: &[(u32, u32)], rank: u32) -> &[(u32, u32)] {
    let first = sorted.partition_point(|&(one, _)| one < rank);
    let n = sorted[first..].partition_point(|&(one, _)| one == rank);
    &sorted[first..first + n]
}

/// The nodes of each level.
struct NestedNodes<'a> {
    accesses: &'a [&'a AccessSet],
    loops: &'a [PlannedLoop],
    /// The child nodes of the top level and of each loop, ascending by rank: index 0 for the top level, `l + 1` for loop l. A loop
    /// is represented by its begin.
    children: Vec<Vec<u32>>,
    /// The index of the loop that begins at a rank.
    loop_at: HashMap<u32, usize>,
}

impl<'a> NestedNodes<'a> {
    fn new(
        accesses: &'a [&'a AccessSet],
        loops: &'a [PlannedLoop],
        around: impl Fn(u32) -> Option<usize>,
    ) -> Self {
        let mut children = vec![Vec::new(); loops.len() + 1];
        let ends: HashSet<u32> = loops.iter().map(|one| one.end).collect();
        for rank in (0..accesses.len() as u32).filter(|rank| !ends.contains(rank)) {
            children[around(rank).map_or(0, |one| one + 1)].push(rank);
        }
        let begins = loops.iter().map(|one| one.begin);
        Self {
            accesses,
            loops,
            children,
            loop_at: begins.zip(0..).collect(),
        }
    }

    /// Returns the child nodes of the top level, or of the loop that begins at this rank.
    fn children(&self, begin: Option<u32>) -> &[u32] {
        &self.children[begin.map_or(0, |begin| self.loop_at[&begin] + 1)]
    }

    /// Returns the rank of the end of a loop, or of another node itself.
    fn end(&self, rank: u32) -> u32 {
        let repeat = self.loop_at.get(&rank);
        repeat.map_or(rank, |&idx| self.loops[idx].end)
    }
}

/// The accesses of all nodes to one resource.
struct Search<'a> {
    nested: &'a NestedNodes<'a>,
    resource: &'a ResourceId,
    /// `kinds[rank]`: how a node accesses the resource. For the begin of a loop, this includes its body.
    kinds: Vec<Option<AccessKind>>,
}

impl<'a> Search<'a> {
    fn new(nested: &'a NestedNodes<'a>, resource: &'a ResourceId) -> Self {
        let accesses = nested.accesses.iter();
        let mut kinds: Vec<Option<AccessKind>> =
            accesses.map(|access| kind_of(access, resource)).collect();
        // Inner loops come after outer ones.
        for one in nested.loops.iter().rev() {
            let body = nested.children(Some(one.begin)).iter();
            let of_body = body.map(|&rank| kinds[rank as usize]);
            kinds[one.begin as usize] = of_body.fold(kinds[one.begin as usize], joined);
        }
        Self {
            nested,
            resource,
            kinds,
        }
    }

    /// Adds the groups of a level: of the top level, or of the loop that begins at this rank. In the latter case, the loop does more
    /// than fold.
    fn add_level(&self, begin: Option<u32>, groups: &mut Folds) {
        let folds = |rank: u32| self.nested.accesses[rank as usize].folds(self.resource);
        if let Some(begin) = begin
            && folds(begin)
        {
            let group = self.add_group(&[begin], Vec::new(), groups);
            groups.of_conditions.push((begin, group));
        }
        let mut open = Vec::new();
        let children = self.nested.children(begin);
        for (idx, &rank) in children.iter().enumerate() {
            match self.kinds[rank as usize] {
                None => {}
                Some(AccessKind::Fold) => open.push(rank),
                Some(_) => {
                    self.close(&mut open, &children[idx..], groups);
                    if self.nested.loop_at.contains_key(&rank) {
                        self.add_level(Some(rank), groups);
                    } else if folds(rank) {
                        // A system that reads and writes the same messages is a group of its own.
                        self.close(&mut vec![rank], &children[idx + 1..], groups);
                    }
                }
            }
        }
        self.close(&mut open, &[], groups);
    }

    /// Adds the group of the open members. `after`: the nodes of the level that come after them.
    fn close(&self, open: &mut Vec<u32>, after: &[u32], folds: &mut Folds) {
        if open.is_empty() {
            return;
        }
        let accesses = |rank: &&u32| {
            let kind = self.kinds[**rank as usize];
            matches!(kind, Some(AccessKind::Read | AccessKind::Write))
        };
        let followers = after.iter().filter(accesses).copied().collect();
        let group = self.add_group(open, followers, folds);
        for rank in open.drain(..) {
            folds.of_members.push((self.nested.end(rank), group));
        }
    }

    fn add_group(&self, members: &[u32], followers: Vec<u32>, folds: &mut Folds) -> u32 {
        folds.groups.push(FoldGroup {
            resource: self.resource.type_id().expect("only types are folded"),
            members: members.to_vec(),
            followers,
            shares_member: false,
            left: MembersLeft::new(members.len() as u32),
        });
        folds.groups.len() as u32 - 1
    }
}

/// How a node accesses a resource, if it does. An exclusive node may insert or remove any resource, unless it folds into it.
fn kind_of(access: &AccessSet, resource: &ResourceId) -> Option<AccessKind> {
    let named = access
        .uses
        .iter()
        .filter(|one| one.resource == *resource)
        .map(|one| Some(one.kind));
    let all = access.all.iter();
    let all = all.filter(|all| !all.except.contains(resource));
    let all = all.map(|all| Some(AccessKind::of_write(all.is_write)));
    match named.chain(all).fold(None, joined) {
        None if access.is_exclusive => Some(AccessKind::Write),
        kind => kind,
    }
}

fn joined(one: Option<AccessKind>, other: Option<AccessKind>) -> Option<AccessKind> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.joined(other)),
        (one, other) => one.or(other),
    }
}
