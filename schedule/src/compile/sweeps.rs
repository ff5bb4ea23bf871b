//! Decides which per-entity systems of a plan run together.

use schedule_graph::internal::{
    Disjoint, SweepInput, SweepModel, SweepNode, SweepUse, Sweeps, Use,
};

use super::All;
use super::nodes::{Graph, NumberedKind};
use super::resources::NumberedResources;
use crate::access::{AccessSet, Storage};
use crate::declarations::DeclaredWork;
use crate::failure::FailurePolicy;
use crate::plan::Plan;
use crate::sweeps::SweepPlan;

/// Nanoseconds: the cost of a system whose cost is not known.
const UNKNOWN_COST: u32 = 20_000;

/// The number of workers in the model. It does not depend on the machine, so that the decision does not.
const N_WORKERS: u32 = 4;

/// Returns the sweeps of a plan. `on_failure[i]`: the failure policy of declared node i.
pub(super) fn sweeps(
    all: All<'_>,
    graph: &Graph,
    resources: &NumberedResources,
    plan: &Plan,
    on_failure: &[FailurePolicy],
) -> SweepPlan {
    let access = |rank: usize| -> Option<(&AccessSet, usize)> {
        let NumberedKind::Added(idx) = graph.kinds[plan.order[rank] as usize] else {
            return None;
        };
        let declared = all.node(idx);
        match declared.work {
            DeclaredWork::System(_) => Some((&*declared.system()?.access, idx)),
            _ => None,
        }
    };
    let n_nodes = plan.order.len();
    let number = |id| {
        resources
            .find(id)
            .expect("each resource that a system uses has a number")
    };
    let (mut nodes, mut uses, mut use_starts) = (vec![None; n_nodes], Vec::new(), vec![0]);
    for (rank, node) in nodes.iter_mut().enumerate() {
        if let Some((access, idx)) = access(rank)
            && let Some(each) = &access.each
            && !(access.is_main_thread || access.is_exclusive)
        {
            *node = Some(SweepNode {
                store: number(&each.store),
                is_sweepable: on_failure[idx] != FailurePolicy::Stop,
                can_fail: each.can_fail,
            });
            for (idx, one) in access.uses.iter().enumerate() {
                // Commands are applied in the order of the systems, also if these run together.
                if one.resource.storage() != Storage::Deferred {
                    uses.push(SweepUse {
                        access: Use::new(number(&one.resource), one.kind),
                        is_own_row: each.own.contains(&idx),
                    });
                }
            }
        }
        use_starts.push(uses.len() as u32);
    }
    let is_each: Vec<bool> = nodes.iter().map(Option::is_some).collect();
    if !is_each.contains(&true) {
        return SweepPlan::default();
    }
    let edges = plan.ranked_edges();
    let sweeps = Sweeps::new(&SweepInput {
        nodes: &nodes,
        around: plan.levels(),
        use_starts: &use_starts,
        uses: &uses,
        disjoint: Disjoint::NONE,
        edges,
        dependents: plan.dependents().links(),
        costs_ns: &vec![UNKNOWN_COST; n_nodes],
        model: SweepModel::new(N_WORKERS),
    });
    SweepPlan::new(&is_each, &sweeps, edges)
}
