//! Races of a sync point with an implied condition that end as soon as other races end.
//!
//! Such a condition comes after each sync point that comes before all nodes that it guards. It comes before each sync point
//! that comes after one of them. So it races with a sync point only while a node that it guards has no order with that sync
//! point. An order for that node ends both races. Both front ends use this module.

use crate::arena::fill;
use crate::conflict::Uses;
use crate::exclusion::Needs;
use crate::graph::edge::Edge;
use crate::graph::links::Links;
use crate::policy::{Policy, Rules};

/// The role of a node in the rule for sync points and implied conditions.
pub mod role {
    /// Any other node.
    pub const OTHER: u32 = 0;
    /// A sync point.
    pub const SYNC_POINT: u32 = 1;
    /// An implied condition, or the begin of a group. It comes after each sync point that all its successors come after.
    pub const FOLLOWS: u32 = 2;
    /// The end of a group or of a loop.
    pub const END: u32 = 3;
}

/// The graph in which races were found.
#[derive(Clone, Copy, Debug)]
pub struct SyncPointRaces<'a> {
    /// `roles[v]`: the [`role`] of node v; len = n_nodes, or 0 if there are no sync points.
    pub roles: &'a [u32],
    /// The declared edges.
    pub declared: Links<'a>,
    /// All edges that order pairs: the declared and the weak ones.
    pub all: Links<'a>,
    /// All weak edges, also those of pairs that do not conflict.
    pub weak: &'a [Edge],
    /// The uses of each node.
    pub uses: Uses<'a>,
    /// The answers that each node needs to run.
    pub needs: Needs<'a>,
    /// The policies.
    pub rules: Rules<'a>,
}

impl SyncPointRaces<'_> {
    /// The sync point and the other node, if a pair is a sync point and a node with [`role::FOLLOWS`].
    pub const fn of_pair(roles: &[u32], a: u32, b: u32) -> Option<(u32, u32)> {
        if roles.is_empty() {
            return None;
        }
        match (roles[a as usize], roles[b as usize]) {
            (role::SYNC_POINT, role::FOLLOWS) => Some((a, b)),
            (role::FOLLOWS, role::SYNC_POINT) => Some((b, a)),
            _ => None,
        }
    }

    /// The number of scratch words of [`Self::is_ended_by_others`] for a graph of `n_nodes` nodes.
    pub const fn n_scratch_words(n_nodes: usize) -> usize {
        5 * n_nodes
    }

    /// Whether the race of this sync point and this condition ends as soon as the other races of the sync point end.
    ///
    /// True if the condition comes after the sync point by the rule of implied conditions once the sync point comes before
    /// each node of this set: nodes that the condition precedes, directly or through other nodes with [`role::FOLLOWS`],
    /// and that race with the sync point under [`Policy::Reject`]. If instead a node of the set comes before the sync
    /// point, the condition does too. False if the set is empty, so at least one race is left to report.
    ///
    /// Nodes after a weak order are not in the set: the weak order may end their race, and then the condition still has no
    /// order. Cost: O((nodes + edges) × depth of nested conditions and groups).
    pub const fn is_ended_by_others(
        self,
        sync_point: u32,
        condition: u32,
        scratch: &mut [u32],
    ) -> bool {
        let n_nodes = self.roles.len();
        let (is_after, scratch) = scratch.split_at_mut(n_nodes);
        let (is_ordered, scratch) = scratch.split_at_mut(n_nodes);
        let (is_met, scratch) = scratch.split_at_mut(n_nodes);
        let (open, scratch) = scratch.split_at_mut(n_nodes);
        let (is_weak, _) = scratch.split_at_mut(n_nodes);
        self.fill_after_weak(is_weak, open);
        fill_after(self.declared, sync_point as usize, is_after, open);
        fill_after(self.all, sync_point as usize, is_ordered, open);
        fill(is_met, 0);
        open[0] = condition;
        let mut n_open = 1;
        while n_open > 0 {
            n_open -= 1;
            let node = open[n_open] as usize;
            let mut link = self.declared.start(node);
            while link < self.declared.end(node) {
                let next = self.declared.targets()[link];
                link += 1;
                let idx = next as usize;
                if is_met[idx] == 1 || is_after[idx] == 1 {
                    continue;
                }
                is_met[idx] = 1;
                if self.roles[idx] == role::FOLLOWS {
                    open[n_open] = next;
                    n_open += 1;
                }
            }
        }
        let mut n_racing = 0;
        let mut node = 0;
        while node < n_nodes {
            if is_met[node] == 1
                && matches!(self.roles[node], role::OTHER | role::SYNC_POINT)
                && is_ordered[node] == 0
                && is_weak[node] == 0
                && self.are_racing(sync_point, node as u32)
            {
                is_after[node] = 1;
                open[n_racing] = node as u32;
                n_racing += 1;
            }
            node += 1;
        }
        if n_racing == 0 {
            return false;
        }
        spread(self.declared, is_after, open, n_racing);
        while self.mark_followers(is_after) {}
        is_after[condition as usize] == 1
    }

    /// Marks each node with [`role::FOLLOWS`] whose successors are all marked, in one pass. Returns whether it marked a
    /// node.
    const fn mark_followers(self, is_after: &mut [u32]) -> bool {
        let mut has_changed = false;
        let mut node = 0;
        while node < is_after.len() {
            if self.roles[node] == role::FOLLOWS
                && is_after[node] == 0
                && are_successors_marked(self.declared, node, is_after)
            {
                is_after[node] = 1;
                has_changed = true;
            }
            node += 1;
        }
        has_changed
    }

    /// Marks the targets of weak edges, and all nodes that declared edges reach from them, with 1. Marks all others with 0.
    const fn fill_after_weak(self, is_weak: &mut [u32], open: &mut [u32]) {
        fill(is_weak, 0);
        let mut edge = 0;
        while edge < self.weak.len() {
            open[0] = self.weak[edge].to;
            edge += 1;
            if is_weak[open[0] as usize] == 1 {
                continue;
            }
            is_weak[open[0] as usize] = 1;
            spread(self.declared, is_weak, open, 1);
        }
    }

    /// Whether two nodes without an order have a race under [`Policy::Reject`].
    const fn are_racing(self, a: u32, b: u32) -> bool {
        self.uses.shared(a, b).next().is_some()
            && !self.needs.never_both_run(a, b)
            && matches!(self.rules.of_pair(self.uses, a, b), Policy::Reject)
    }
}

/// Marks the nodes that come after a node with 1, and all others with 0. `open`: scratch space, len = n_nodes.
pub const fn fill_after(links: Links<'_>, from: usize, is_after: &mut [u32], open: &mut [u32]) {
    fill(is_after, 0);
    open[0] = from as u32;
    spread(links, is_after, open, 1);
}

/// Whether a node has successors, and all of them are marked.
pub(crate) const fn are_successors_marked(links: Links<'_>, node: usize, marks: &[u32]) -> bool {
    let mut link = links.start(node);
    if link == links.end(node) {
        return false;
    }
    while link < links.end(node) {
        if marks[links.targets()[link] as usize] == 0 {
            return false;
        }
        link += 1;
    }
    true
}

/// Marks all nodes that links reach from the first `n_open` nodes of `open` with 1. Does not visit marked nodes again.
const fn spread(links: Links<'_>, marks: &mut [u32], open: &mut [u32], mut n_open: usize) {
    while n_open > 0 {
        n_open -= 1;
        let node = open[n_open] as usize;
        let mut link = links.start(node);
        while link < links.end(node) {
            let next = links.targets()[link] as usize;
            if marks[next] == 0 {
                marks[next] = 1;
                open[n_open] = next as u32;
                n_open += 1;
            }
            link += 1;
        }
    }
}
