//! The decision which per-entity systems of a plan run together: its input, as numbers by rank.

mod bypass;

use core::ops::Range;

use schedule_graph::Edge;
use schedule_graph::internal::Lists;
use schedule_graph::internal::{SweepInput, SweepModel, SweepNode, SweepUse, Sweeps};

use self::bypass::Bypass;
use super::All;
use super::nodes::{Graph, NumberedKind};
use super::resources::NumberedResources;
use crate::data::access::Storage;
use crate::data::failure_policy::FailurePolicy;
use crate::data::marks::Marks;
use crate::verify::plan::Plan;
use crate::verify::sweeps::SweepPlan;

/// The number of workers in the model. It does not depend on the machine, so that the decision does not.
const N_WORKERS: u32 = 4;

/// The memory of [`SweepInput`].
pub(crate) struct NumberedSweeps {
    /// `nodes[rank]`, as the other lists.
    pub(crate) nodes: Vec<Option<SweepNode>>,
    use_starts: Vec<u32>,
    uses: Vec<SweepUse>,
    /// `bytes[i]`: the size of the component of `uses[i]`. 0 if it is not a component.
    bytes: Vec<u32>,
    costs_ns: Vec<u32>,
    /// The edges of the plan, without nodes that have no work.
    pub(crate) edges: Vec<Edge>,
    /// The dependents, without nodes that have no work.
    dependents: Lists,
}

impl NumberedSweeps {
    /// Numbers the per-entity systems. `on_failure[i]`: the failure policy of declared node i. `marks[i]`: its marks.
    /// `costs_ns[v]`: the cost of node v of the graph.
    ///
    /// Systems that must run on one thread do not count as per-entity systems.
    pub(crate) fn number(
        all: All<'_>,
        graph: &Graph,
        resources: &NumberedResources,
        plan: &Plan,
        on_failure: &[FailurePolicy],
        marks: &[Marks],
        costs_ns: &[u64],
    ) -> Self {
        let mut numbered = Self {
            nodes: vec![None; plan.order.len()],
            use_starts: vec![0],
            uses: Vec::new(),
            bytes: Vec::new(),
            costs_ns: Vec::new(),
            edges: Vec::new(),
            dependents: Lists::of_successors(0, &[]),
        };
        for (rank, &node) in plan.order.iter().enumerate() {
            if let Some(&NumberedKind::Added(idx)) = graph.kinds.get(node as usize) {
                numbered.nodes[rank] =
                    numbered.add(all, resources, idx, on_failure[idx], marks[idx]);
            }
            numbered.use_starts.push(numbered.uses.len() as u32);
            let cost_ns = costs_ns.get(node as usize).copied().unwrap_or(0);
            let cost_ns = u32::try_from(cost_ns);
            numbered.costs_ns.push(cost_ns.unwrap_or(u32::MAX));
        }
        if numbered.nodes.iter().any(Option::is_some) {
            numbered.bypass(all, graph, plan);
        }
        numbered
    }

    /// Sets the edges and the dependents.
    fn bypass(&mut self, all: All<'_>, graph: &Graph, plan: &Plan) {
        // The graph of advice has no inserted sync points.
        let idle = graph.is_idle(all);
        let is_idle = |&node: &u32| idle.get(node as usize).is_some_and(|&idle| idle);
        let is_idle: Vec<bool> = plan.order.iter().map(is_idle).collect();
        self.edges = plan.ranked_edges().to_vec();
        let bypass = Bypass::new(&mut self.edges, &is_idle, plan.levels());
        let links = plan.dependents().links();
        let links = (0..links.n_nodes()).flat_map(|from| {
            let targets = (links.start(from)..links.end(from)).map(move |link| links.target(link));
            targets.map(move |to| Edge {
                from: from as u32,
                to,
            })
        });
        let mut dependents: Vec<Edge> = links.collect();
        bypass.apply(&mut dependents);
        self.dependents = Lists::of_successors(is_idle.len(), &dependents);
    }

    /// Adds the uses of a declared node, if it is a per-entity system.
    fn add(
        &mut self,
        all: All<'_>,
        resources: &NumberedResources,
        idx: usize,
        on_failure: FailurePolicy,
        marks: Marks,
    ) -> Option<SweepNode> {
        let declared = all.node(idx);
        let each = declared.each()?;
        let access = &*declared.system()?.access;
        if declared.is_main_thread() || access.is_exclusive {
            return None;
        }
        for (nth, (one, &numbered)) in access.uses.iter().zip(resources.named(idx)).enumerate() {
            // Commands are applied in the order of the systems, also if these run together.
            if one.resource.storage() != Storage::Deferred {
                self.uses.push(SweepUse {
                    access: numbered,
                    is_own_row: each.own.contains(&nth),
                });
                self.bytes.push(one.resource.component_bytes());
            }
        }
        let store = resources.find(&each.store);
        Some(SweepNode {
            store: store.expect("a per-entity system reads its store"),
            // Other members of a sweep could fail before a system that always runs.
            is_sweepable: !marks.has(Marks::NO_SWEEP)
                && !marks.has(Marks::ALWAYS)
                && on_failure != FailurePolicy::Stop,
            can_fail: each.can_fail && on_failure == FailurePolicy::SkipDependents,
        })
    }

    /// The uses of a per-entity system.
    pub(crate) fn uses(&self, rank: u32) -> &[SweepUse] {
        &self.uses[self.range_of_uses(rank)]
    }

    fn range_of_uses(&self, rank: u32) -> Range<usize> {
        let rank = rank as usize;
        self.use_starts[rank] as usize..self.use_starts[rank + 1] as usize
    }

    /// `plan`: the plan that was numbered.
    pub(crate) fn input<'a>(
        &'a self,
        resources: &'a NumberedResources,
        plan: &'a Plan,
    ) -> SweepInput<'a> {
        SweepInput {
            nodes: &self.nodes,
            around: plan.levels(),
            use_starts: &self.use_starts,
            uses: &self.uses,
            disjoint: resources.disjoint_filters(),
            edges: &self.edges,
            dependents: self.dependents.links(),
            costs_ns: &self.costs_ns,
            model: SweepModel::new(N_WORKERS),
        }
    }

    /// Decides which systems share sweeps.
    pub(crate) fn decide(&self, resources: &NumberedResources, plan: &Plan) -> SweepPlan {
        let is_each: Vec<bool> = self.nodes.iter().map(Option::is_some).collect();
        if !is_each.contains(&true) {
            return SweepPlan::default();
        }
        let sweeps = Sweeps::new(&self.input(resources, plan));
        let row_bytes = |members: &[u32]| self.row_bytes(members);
        SweepPlan::new(&is_each, sweeps, &self.edges, row_bytes)
    }

    /// The size in bytes of all components of an entity that a member accesses.
    fn row_bytes(&self, members: &[u32]) -> u64 {
        let uses = members
            .iter()
            .flat_map(|&member| self.range_of_uses(member));
        let own = uses.filter(|&nth| self.uses[nth].is_own_row);
        let mut components: Vec<(u32, u32)> = own
            .map(|nth| (self.uses[nth].access.resource, self.bytes[nth]))
            .collect();
        components.sort_unstable();
        components.dedup();
        components.iter().map(|&(_, bytes)| u64::from(bytes)).sum()
    }
}
