//! A plan that is prepared for simulations.

use core::time::Duration;

use crate::verify::plan::Plan;
use schedule_graph::Machine;
use schedule_graph::internal::Lists;
use schedule_graph::internal::Precedence;
use schedule_graph::internal::{Workload, simulate};

/// A plan that is prepared for simulations on any number of machines.
pub(crate) struct Rehearsal {
    /// `ranks[v]`: the rank of node v. Nodes are numbered by urgency, also in the other fields. len = n_nodes.
    pub(crate) ranks: Vec<u32>,
    successors: Lists,
    costs_ns: Vec<u64>,
    is_bound: Vec<bool>,
    /// Whether a node is a per-entity system or a sweep, which workers share. Empty if there is none.
    is_shared: Vec<bool>,
    /// The cost of the critical path on one worker.
    span_ns: u64,
}

impl Rehearsal {
    /// The arguments are indexed by rank, as in [`Simulation::of_plan`]. A sweep is one node. Cost: O(nodes × edges / 64).
    pub(crate) fn of_plan(plan: &Plan, costs_ns: &[u64], is_bound: &[bool]) -> Self {
        let weights: Vec<u32> = costs_ns.iter().map(|&cost_ns| saturated(cost_ns)).collect();
        let (Precedence { ranks, edges }, _) = plan.precedence_of_sweeps(weights);
        let cost = |&rank: &u32| match plan.sweeps.of(rank) {
            Some(sweep) => sweep
                .members
                .iter()
                .map(|&rank| costs_ns[rank as usize])
                .sum(),
            None => costs_ns[rank as usize],
        };
        let is_shared = |&rank: &u32| plan.sweeps.of(rank).is_some() && !is_bound[rank as usize];
        Self {
            span_ns: plan.span(costs_ns.iter().copied(), &mut Vec::new()),
            successors: Lists::of_successors(ranks.len(), &edges),
            costs_ns: ranks.iter().map(cost).collect(),
            is_bound: ranks.iter().map(|&rank| is_bound[rank as usize]).collect(),
            is_shared: if plan.sweeps.is_empty() {
                Vec::new()
            } else {
                ranks.iter().map(is_shared).collect()
            },
            ranks,
        }
    }

    /// The cost of the critical path on one worker.
    pub(crate) fn span(&self) -> Duration {
        Duration::from_nanos(self.span_ns)
    }

    /// The duration of a run. O((nodes + edges) × log(nodes)).
    pub(crate) fn makespan(&self, machine: Machine) -> Duration {
        Duration::from_nanos(simulate(self.workload(), machine).end_ns())
    }

    pub(crate) fn workload(&self) -> Workload<'_> {
        Workload {
            successors: self.successors.links(),
            costs_ns: &self.costs_ns,
            is_bound: &self.is_bound,
            is_shared: &self.is_shared,
        }
    }
}

/// Converts a cost for the order of urgency. Costs of more than about four seconds are capped.
fn saturated(cost_ns: u64) -> u32 {
    u32::try_from(cost_ns).unwrap_or(u32::MAX)
}
