//! Implied conditions after sync points.
//!
//! A sync point conflicts with every node, so each condition needs an order with it. Users cannot order implied conditions,
//! because they do not declare them. So an implied condition is ordered after each sync point that precedes all its
//! successors: the nodes that it guards, and those that its own orders name. A guarded group represents the nodes in it.
//!
//! The rule orders no two other nodes. It does not apply if weak orders place the condition before the sync point. Then the
//! condition gets no order.

use super::groups::Groups;
use super::item::{Item, Kind, NodeKind};
use super::lowered::{EdgeOrigin, Lowered, SyncPointScratch};
use super::numbering::Numbering;
use crate::arena::{Full, fill};
use crate::graph::edge::Edge;
use crate::graph::links::Links;
use crate::sync_point_races::{are_successors_marked, fill_after, role};

/// The [`role`] of each node. Empty without sync points, or without implied conditions.
pub(super) const fn fill_roles<'a>(
    groups: &Groups<'_>,
    numbering: &Numbering<'_>,
    roles: &'a mut [u32],
) -> &'a [u32] {
    let kinds = groups.declared.kinds;
    let (mut n_sync_points, mut n_implied) = (0, 0);
    let mut idx = 0;
    while idx < kinds.len() {
        n_sync_points += matches!(kinds[idx], Kind::ApplyCommands) as usize;
        n_implied += matches!(kinds[idx], Kind::Implied) as usize;
        idx += 1;
    }
    if n_sync_points == 0 || n_implied == 0 {
        return &[];
    }
    let roles = roles.split_at_mut(numbering.kinds.len()).0;
    let mut node = 0;
    while node < roles.len() {
        roles[node] = match NodeKind::of_code(numbering.kinds.at(node)) {
            NodeKind::GroupBegin(_) => role::FOLLOWS,
            NodeKind::GroupEnd(_) | NodeKind::LoopEnd(_) => role::END,
            NodeKind::WeakBegin(_) | NodeKind::WeakEnd(_) => role::END,
            NodeKind::Declared(idx) => match kinds[idx as usize] {
                Kind::ApplyCommands => role::SYNC_POINT,
                Kind::Implied => role::FOLLOWS,
                _ => role::OTHER,
            },
        };
        node += 1;
    }
    roles
}

impl Lowered<'_> {
    /// Cost: O(sync points × (nodes + edges)), and nothing without sync points or without implied conditions.
    pub(super) const fn order_conditions_after_sync_points(
        &mut self,
        scratch: SyncPointScratch<'_>,
    ) -> Result<(), Full> {
        if self.roles.is_empty() {
            return Ok(());
        }
        let n_nodes = self.n_nodes();
        let links = scratch.links.links(n_nodes, self.edges.as_slice());
        let is_after = scratch.is_after.split_at_mut(n_nodes).0;
        let mut sync_point = 0;
        while sync_point < n_nodes {
            if self.roles[sync_point] == role::SYNC_POINT {
                fill_after(links, sync_point, is_after, scratch.open);
                let marks = scratch.open.split_at_mut(n_nodes).0;
                if !self.order_conditions_after(links, sync_point, is_after, marks) {
                    return Err(Full);
                }
            }
            sync_point += 1;
        }
        Ok(())
    }

    /// Orders the conditions after one sync point. The number of passes is at most the depth of nested conditions and
    /// groups. Returns whether there was room for the edges.
    const fn order_conditions_after(
        &mut self,
        links: Links<'_>,
        sync_point: usize,
        is_after: &mut [u32],
        marks: &mut [u32],
    ) -> bool {
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            let mut node = 0;
            while node < self.roles.len() {
                if self.roles[node] == role::FOLLOWS
                    && is_after[node] == 0
                    && are_successors_marked(links, node, is_after)
                {
                    is_after[node] = 1;
                    has_changed = true;
                    // A group without a condition needs no edge.
                    if let NodeKind::Declared(idx) = self.kind(node as u32) {
                        // A sync point in a loop: the condition comes after the loop.
                        let sync_point = self.kind(sync_point as u32).item();
                        let edge = self.numbering.lifted(sync_point, Item::Node(idx));
                        if self.is_weakly_before(edge.to, edge.from, marks) {
                            node += 1;
                            continue;
                        }
                        if self.edges.is_full() {
                            return false;
                        }
                        self.push(edge.from, edge.to, EdgeOrigin::ApplyCommands);
                    }
                }
                node += 1;
            }
        }
        true
    }

    /// Whether weak edges, with declared ones, lead from one node to another. `marks`: scratch space, len = n_nodes.
    ///
    /// False without weak edges: an order that the rule adds closes no cycle of declared edges.
    /// Cost: O(edges × passes), where edges that ascend need one pass.
    const fn is_weakly_before(&self, from: u32, to: u32, marks: &mut [u32]) -> bool {
        if self.weak().is_empty() {
            return false;
        }
        fill(marks, 0);
        marks[from as usize] = 1;
        while marks[to as usize] == 0 {
            let has_changed = mark_targets(self.edges.as_slice(), marks);
            if !mark_targets(self.weak(), marks) && !has_changed {
                return false;
            }
        }
        true
    }
}

/// Marks the targets of all edges with a marked source, in one pass. Returns whether that marked a node.
const fn mark_targets(edges: &[Edge], marks: &mut [u32]) -> bool {
    let mut has_changed = false;
    let mut idx = 0;
    while idx < edges.len() {
        let Edge { from, to } = edges[idx];
        if marks[from as usize] == 1 && marks[to as usize] == 0 {
            marks[to as usize] = 1;
            has_changed = true;
        }
        idx += 1;
    }
    has_changed
}
