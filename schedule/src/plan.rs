//! A verified schedule as an executor needs it: flat arrays.

use fixedbitset::FixedBitSet;

use crate::graph::edge::Edge;
use crate::graph::order::{fill_ranked_edges, fill_ranks};
use crate::graph::reduce::mark_kept_edges;
use crate::verify::{Lists, Origin, Verdict};

/// Nodes by rank in a topological order, with their edges.
#[derive(Debug)]
pub(crate) struct Plan {
    /// `order[rank]`: the node of that rank; len = n_nodes.
    pub(crate) order: Vec<u32>,
    /// By rank: what is skipped when this fails, or is skipped itself.
    pub(crate) dependents: Lists,
    /// How many edges of the transitive reduction only a policy asks for.
    pub(crate) n_policy_edges: usize,
}

impl Plan {
    /// Of a single node.
    pub(crate) fn of_one() -> Self {
        Self {
            order: vec![0],
            dependents: Lists::of_successors(1, &[]),
            n_policy_edges: 0,
        }
    }

    /// Cost: O(nodes × edges / 64).
    pub(crate) fn new(verdict: &Verdict) -> Self {
        let n_nodes = verdict.order.len();
        let mut ranks = vec![0; n_nodes];
        fill_ranks(&verdict.order, &mut ranks);
        let mut ranked = verdict.edges.clone();
        fill_ranked_edges(&verdict.edges, &ranks, &mut ranked);

        let kept = reduce(n_nodes, &ranked);
        let n_policy_edges = kept
            .iter()
            .zip(&verdict.origins)
            .filter(|(kept, origin)| **kept && !matches!(origin, Origin::Declared(_)))
            .count();
        // What follows by `as added` only is not skipped; so it must not stand in for an order that is.
        let binding: Vec<Edge> = ranked
            .iter()
            .zip(&verdict.origins)
            .filter(|(_, origin)| !matches!(origin, Origin::AsAdded(_)))
            .map(|(edge, _)| *edge)
            .collect();
        Self {
            order: verdict.order.clone(),
            dependents: Lists::of_successors(n_nodes, &binding),
            n_policy_edges,
        }
    }
}

/// Which edges of a ranked graph its transitive reduction keeps.
fn reduce(n_nodes: usize, ranked: &[Edge]) -> Vec<bool> {
    /// Blocks for each node: all of them, up to where less memory is faster.
    const WIDTH: usize = 192;
    let lists = Lists::of_successors(n_nodes, ranked);
    let width = n_nodes.div_ceil(usize::BITS as usize);
    let width = if width > WIDTH { 32 } else { width };
    let mut blocks = FixedBitSet::with_capacity(n_nodes * width * usize::BITS as usize);
    let mut kept = vec![true; ranked.len()];
    mark_kept_edges(lists.links(), blocks.as_mut_slice(), &mut kept);
    kept
}
