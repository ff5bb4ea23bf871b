//! Conditions that nobody added, against flushes.
//!
//! A flush conflicts with everything, so each condition needs an order against it. The author cannot name a condition
//! that nobody added without adding orders to what it guards. So such a condition comes after each flush that comes
//! before all that has to come after the condition: what it guards, and what its attribute names. Instead of a group that
//! it guards, the members of the group count. That adds no order between any two other nodes. Otherwise the condition gets
//! no order.

use super::Builder;
use super::declared::{Declared, DeclaredWork};
use super::nodes::{Graph, Kind};
use crate::problem::StepOrigin;
use schedule_graph::Edge;
use schedule_graph::internal::Lists;
use schedule_graph::internal::{fill_after, role};

impl Graph {
    /// The [`role`] of each node; none without flushes, or without conditions that nobody added.
    pub(super) fn flush_roles(&self, builder: &Builder) -> Vec<u32> {
        let has = |is_one: &dyn Fn(&Declared) -> bool| builder.there().any(|(_, one)| is_one(one));
        if !has(&|one| matches!(one.work, DeclaredWork::Flush))
            || !has(&|one| one.implied.is_some())
        {
            return Vec::new();
        }
        let roles = self.kinds.iter().map(|kind| match *kind {
            Kind::Added(idx) if matches!(builder.nodes[idx].work, DeclaredWork::Flush) => {
                role::FLUSH
            }
            Kind::Added(idx) if builder.nodes[idx].implied.is_some() => role::FOLLOWS,
            Kind::Added(_) => role::OTHER,
            Kind::GroupBegin(_) => role::FOLLOWS,
            Kind::GroupEnd(_) | Kind::LoopEnd(_) => role::END,
        });
        roles.collect()
    }

    /// Cost: O(flushes × (nodes + edges)), and nothing without flushes.
    pub(super) fn order_conditions_after_flushes(&mut self, builder: &Builder) {
        let roles = self.flush_roles(builder);
        let numbers = |role: u32| {
            let all = (0..).zip(&roles);
            let of_role = all.filter(move |(_, one)| **one == role);
            of_role.map(|(node, _)| node)
        };
        let flushes: Vec<u32> = numbers(role::FLUSH).collect();
        let followers: Vec<u32> = numbers(role::FOLLOWS).collect();
        if flushes.is_empty() {
            return;
        }
        let lists = Lists::of_successors(self.kinds.len(), &self.edges);
        let links = lists.links();
        let mut open = vec![0; roles.len()];
        // is_after[v]: 1 if node v comes after the flush; len = n_nodes.
        let mut is_after = vec![0; roles.len()];
        for flush in flushes {
            fill_after(links, flush as usize, &mut is_after, &mut open);
            // As many passes as conditions and groups guard or contain each other.
            let mut has_changed = true;
            while has_changed {
                has_changed = false;
                for &node in &followers {
                    let mut next = links.start(node as usize)..links.end(node as usize);
                    let is_moved = is_after[node as usize] == 0
                        && !next.is_empty()
                        && next.all(|link| is_after[links.target(link) as usize] == 1);
                    if !is_moved {
                        continue;
                    }
                    is_after[node as usize] = 1;
                    has_changed = true;
                    // A group without a condition needs no edge.
                    if matches!(self.kinds[node as usize], Kind::Added(_)) {
                        // A flush in a loop: the condition comes after the loop.
                        let edge = Edge {
                            from: flush,
                            to: node,
                        };
                        self.edges.push(self.levels().lift(edge));
                        self.origins.push(StepOrigin::Flush);
                    }
                }
            }
        }
    }
}
