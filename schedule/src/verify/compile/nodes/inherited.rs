//! Conditions that inherit the guard of a group, because they guard only members of the group.

use std::collections::HashSet;

use schedule_graph::Edge;

use super::{Graph, NodeGuards};
use crate::verify::compile::guards::Conditions;

/// The pairs of a condition and a guard that it inherits.
pub(super) fn pairs(inherited: &[Edge]) -> Vec<(u32, u32)> {
    inherited.iter().map(|edge| (edge.from, edge.to)).collect()
}

impl Graph {
    /// Returns each condition that inherits a guard of a group, with each condition in that guard, by rank. Not those that its own guards
    /// name as well. O(inherited guards × leaves of the guards of a condition).
    pub(in crate::verify::compile) fn inherited(
        &self,
        conditions: &Conditions,
        ranks: &[u32],
    ) -> HashSet<(u32, u32)> {
        let NodeGuards {
            starts,
            guards,
            inherited,
        } = &self.guards;
        let rank = |idx: usize| ranks[self.node_of[idx] as usize];
        let leaves = |guard: u32| {
            let formula = &conditions.guards[guard as usize].formula;
            formula.leaves().map(|leaf| leaf.node)
        };
        let mut found = HashSet::new();
        for &(idx, guard) in inherited {
            let range = starts[idx as usize] as usize..starts[idx as usize + 1] as usize;
            let own = guards[range].iter();
            let own = own.filter(|&&one| !inherited.contains(&(idx, one)));
            let own: Vec<usize> = own.flat_map(|&guard| leaves(guard)).collect();
            let others = leaves(guard).filter(|leaf| !own.contains(leaf));
            found.extend(others.map(|leaf| (rank(idx as usize), rank(leaf))));
        }
        found
    }
}
