//! Checks the consistency of a graph.

use super::edge::Origin;
use super::node::Kind;
use super::schedule_graph::{PolicyOf, ScheduleGraph};
use crate::base::document::{DataError, check_index};

impl ScheduleGraph {
    /// Checks that each index is valid, that each edge has an origin, that no loop or group contains itself, and that no
    /// node is in two sweeps. O(size of the graph).
    ///
    /// # Errors
    ///
    /// Fails if the graph is inconsistent. Only a graph that was deserialized or modified can be inconsistent.
    ///
    /// ```
    /// use schedule::prelude::*;
    ///
    /// #[system]
    /// fn step() {}
    ///
    /// let mut graph = Schedule::builder().add::<step>().build()?.graph();
    /// graph.check()?;
    /// graph.nodes[0].groups.push(7);
    /// let error = graph.check().unwrap_err();
    /// assert_eq!(error.to_string(), "node 0 refers to node 7, but there are 1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check(&self) -> Result<(), DataError> {
        self.check_nodes()?;
        self.check_holders()?;
        self.check_edges()?;
        self.check_sweeps()?;
        self.check_remarks()
    }

    fn check_node(&self, node: usize, in_what: core::fmt::Arguments<'_>) -> Result<(), DataError> {
        check_index(node, self.nodes.len(), "node", in_what)
    }

    fn check_resource(
        &self,
        resource: usize,
        in_what: core::fmt::Arguments<'_>,
    ) -> Result<(), DataError> {
        check_index(resource, self.resources.len(), "resource", in_what)
    }

    fn check_nodes(&self) -> Result<(), DataError> {
        for (idx, node) in self.nodes.iter().enumerate() {
            if let Some(holder) = node.repeat {
                self.check_node(holder, format_args!("node {idx}"))?;
                if !matches!(self.nodes[holder].kind, Kind::Loop { .. }) {
                    return Err(DataError(format!(
                        "node {idx} is in node {holder}, which is not a loop"
                    )));
                }
            }
            for &holder in &node.groups {
                self.check_node(holder, format_args!("node {idx}"))?;
                if self.nodes[holder].kind != Kind::Group {
                    return Err(DataError(format!(
                        "node {idx} is in node {holder}, which is not a group"
                    )));
                }
            }
            let touched = &node.touched;
            let excepted = [&touched.reads_all_but, &touched.writes_all_but]
                .into_iter()
                .flatten()
                .flatten();
            for &resource in touched
                .reads
                .iter()
                .chain(&touched.writes)
                .chain(&touched.folds)
                .chain(excepted)
            {
                self.check_resource(resource, format_args!("node {idx}"))?;
            }
        }
        Ok(())
    }

    /// Removes nodes without remaining content until none is left (Kahn 1962). A node that is not removed is in a
    /// cycle of memberships. O(memberships).
    fn check_holders(&self) -> Result<(), DataError> {
        let holders = |idx: usize| {
            let node = &self.nodes[idx];
            node.groups.iter().chain(&node.repeat).copied()
        };
        // `n_inside[b]`: memberships in box b of nodes that are not removed; len = n_nodes.
        let mut n_inside = vec![0_usize; self.nodes.len()];
        for holder in (0..self.nodes.len()).flat_map(holders) {
            n_inside[holder] += 1;
        }
        let mut empty: Vec<usize> = (0..self.nodes.len())
            .filter(|&idx| n_inside[idx] == 0)
            .collect();
        while let Some(idx) = empty.pop() {
            for holder in holders(idx) {
                n_inside[holder] -= 1;
                if n_inside[holder] == 0 {
                    empty.push(holder);
                }
            }
        }
        match n_inside.iter().position(|&n| n > 0) {
            Some(idx) => Err(DataError(format!("node {idx} contains itself"))),
            None => Ok(()),
        }
    }

    fn check_edges(&self) -> Result<(), DataError> {
        for (idx, edge) in self.edges.iter().enumerate() {
            self.check_node(edge.from, format_args!("edge {idx}"))?;
            self.check_node(edge.to, format_args!("edge {idx}"))?;
            if edge.origins.is_empty() {
                return Err(DataError(format!("edge {idx} has no origin")));
            }
            for origin in &edge.origins {
                match *origin {
                    Origin::Policy { resource, .. } => {
                        self.check_resource(resource, format_args!("edge {idx}"))?;
                    }
                    Origin::NeverBoth { condition } => {
                        self.check_node(condition, format_args!("edge {idx}"))?;
                    }
                    Origin::Declared { .. }
                    | Origin::Weak { .. }
                    | Origin::Guard { .. }
                    | Origin::Commands => {}
                }
            }
        }
        Ok(())
    }

    /// Checks that each sweep has several members, ascending, and that no two have a common one.
    fn check_sweeps(&self) -> Result<(), DataError> {
        let mut is_member = vec![false; self.nodes.len()];
        for (idx, members) in self.sweeps.iter().enumerate() {
            for &member in members {
                self.check_node(member, format_args!("sweep {idx}"))?;
                if core::mem::replace(&mut is_member[member], true) {
                    return Err(DataError(format!("node {member} is in two sweeps")));
                }
            }
            if members.len() < 2 || !members.is_sorted() {
                return Err(DataError(format!(
                    "sweep {idx} must have at least two members, ascending"
                )));
            }
        }
        Ok(())
    }

    /// Checks policies, accepted races, and problems.
    fn check_remarks(&self) -> Result<(), DataError> {
        for (idx, policy) in self.policies.iter().enumerate() {
            let name = format_args!("policy {idx}");
            match policy.of {
                PolicyOf::Schedule => {}
                PolicyOf::Resource(resource) => self.check_resource(resource, name)?,
                PolicyOf::Pair(one, other) => {
                    self.check_node(one, name)?;
                    self.check_node(other, name)?;
                }
            }
        }
        for (idx, accepted) in self.accepted.iter().enumerate() {
            let name = format_args!("accepted race {idx}");
            self.check_node(accepted.first, name)?;
            self.check_node(accepted.then, name)?;
            for &resource in &accepted.resources {
                self.check_resource(resource, name)?;
            }
        }
        for (idx, fault) in self.problems.iter().enumerate() {
            let name = format_args!("problem {idx}");
            for &node in &fault.nodes {
                self.check_node(node, name)?;
            }
            for &resource in &fault.resources {
                self.check_resource(resource, name)?;
            }
        }
        Ok(())
    }
}
