//! Conditions that nobody added, against flushes.
//!
//! A flush conflicts with everything, so each condition needs an order against it. The author cannot name a condition
//! that nobody added without adding orders to what it guards. So such a condition comes after each flush that comes
//! before all that has to come after the condition: what it guards, and what its attribute names. That adds no order
//! between any two other nodes. Otherwise no order is added.

use super::Builder;
use super::declared::DeclaredWork;
use super::nodes::Graph;
use crate::graph::edge::Edge;
use crate::graph::lists::Lists;
use crate::problem::StepOrigin;

impl Graph {
    /// Cost: O(flushes × (nodes + edges)), and nothing without flushes.
    pub(super) fn order_conditions_after_flushes(&mut self, builder: &Builder) {
        let numbers = |is_one: &dyn Fn(usize) -> bool| -> Vec<u32> {
            let found = builder.there().filter(|(idx, _)| is_one(*idx));
            found.map(|(idx, _)| self.node_of[idx]).collect()
        };
        let flushes = numbers(&|idx| matches!(builder.nodes[idx].work, DeclaredWork::Flush));
        let implied = numbers(&|idx| builder.nodes[idx].implied.is_some());
        if flushes.is_empty() || implied.is_empty() {
            return;
        }
        let lists = Lists::of_successors(self.kinds.len(), &self.edges);
        let links = lists.links();
        let next = |node: u32| {
            let node = node as usize;
            (links.start(node)..links.end(node)).map(|link| links.target(link))
        };
        for flush in flushes {
            // is_after[v]: node v comes after the flush; len = n_nodes.
            let mut is_after = vec![false; self.kinds.len()];
            let mut open = vec![flush];
            while let Some(node) = open.pop() {
                for next in next(node) {
                    if !core::mem::replace(&mut is_after[next as usize], true) {
                        open.push(next);
                    }
                }
            }
            // As many passes as conditions guard conditions behind each other.
            let mut has_changed = true;
            while has_changed {
                has_changed = false;
                for &condition in &implied {
                    let is_moved = !is_after[condition as usize]
                        && next(condition).next().is_some()
                        && next(condition).all(|next| is_after[next as usize]);
                    if is_moved {
                        is_after[condition as usize] = true;
                        // A flush in a loop: the condition comes after the loop.
                        let edge = Edge {
                            from: flush,
                            to: condition,
                        };
                        self.edges.push(self.levels().lift(edge));
                        self.origins.push(StepOrigin::Flush);
                        has_changed = true;
                    }
                }
            }
        }
    }
}
