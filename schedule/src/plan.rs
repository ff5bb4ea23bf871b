//! A verified schedule as an executor needs it: flat arrays, by rank.

use core::cmp::Reverse;
use std::sync::OnceLock;

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
    /// By rank, so that `from < to`.
    edges: Vec<Edge>,
    /// `origins[i]`: where edge i comes from; len = n_edges.
    origins: Vec<Origin>,
    /// See [`Plan::dependents`]; made when a system first fails.
    dependents: OnceLock<Lists>,
}

/// Which node waits for which, with nodes numbered by urgency: 0 is the most urgent one.
#[derive(Debug)]
pub(crate) struct Precedence {
    /// `ranks[v]`: the rank of node v; len = n_nodes.
    pub(crate) ranks: Vec<u32>,
    /// A transitive reduction, sorted; all edges have `from < to`.
    pub(crate) edges: Vec<Edge>,
}

impl Precedence {
    /// Whether each node waits for the one before it, so that one thread is as good as several.
    pub(crate) fn is_chain(&self) -> bool {
        let is_link = |(from, edge): (u32, &Edge)| edge.from == from && edge.to == from + 1;
        self.edges.len() + 1 >= self.ranks.len() && (0..).zip(&self.edges).all(is_link)
    }
}

impl Plan {
    /// Of a single node.
    pub(crate) fn of_one() -> Self {
        Self {
            order: vec![0],
            edges: Vec::new(),
            origins: Vec::new(),
            dependents: OnceLock::new(),
        }
    }

    /// Cost: O(nodes + edges).
    pub(crate) fn new(verdict: Verdict) -> Self {
        let mut ranks = vec![0; verdict.order.len()];
        fill_ranks(&verdict.order, &mut ranks);
        let mut edges = verdict.edges.clone();
        fill_ranked_edges(&verdict.edges, &ranks, &mut edges);
        Self {
            order: verdict.order,
            edges,
            origins: verdict.origins,
            dependents: OnceLock::new(),
        }
    }

    /// By rank: what is skipped when this fails, or is skipped itself. O(nodes + edges) for the first call.
    ///
    /// What follows by [`Policy::AsAdded`](crate::Policy::AsAdded) only is not.
    pub(crate) fn dependents(&self) -> &Lists {
        self.dependents.get_or_init(|| {
            let edges = self.edges.iter().zip(&self.origins);
            let binding = edges.filter(|(_, origin)| !matches!(origin, Origin::AsAdded(_)));
            let binding: Vec<Edge> = binding.map(|(edge, _)| *edge).collect();
            Lists::of_successors(self.order.len(), &binding)
        })
    }

    /// Which node waits for which, numbered by urgency. `costs[rank]`: what a node takes, in any unit; len = n_nodes.
    ///
    /// A node is as urgent as the path is long that starts with it, of those to the end (highest level first, Hu 1961);
    /// of two such, the one of lower rank comes first. Edges that others imply are left out.
    /// Cost: O(nodes × edges / 64).
    pub(crate) fn precedence(&self, costs: &[u32]) -> Precedence {
        let n_nodes = costs.len();
        let kept = self.edges.iter().zip(reduce(n_nodes, &self.edges));
        let kept = kept.filter_map(|(edge, is_kept)| is_kept.then_some(*edge));
        let mut edges: Vec<Edge> = kept.collect();
        let lists = Lists::of_successors(n_nodes, &edges);
        let links = lists.links();
        let mut lengths = vec![0; n_nodes];
        for rank in (0..n_nodes).rev() {
            let behind = links.start(rank)..links.end(rank);
            let behind = behind.map(|link| lengths[links.target(link) as usize]);
            lengths[rank] = behind.max().unwrap_or(0) + u64::from(costs[rank]);
        }
        let mut ranks: Vec<u32> = (0..n_nodes as u32).collect();
        ranks.sort_by_key(|&rank| Reverse(lengths[rank as usize]));
        let mut numbers = vec![0; n_nodes];
        fill_ranks(&ranks, &mut numbers);
        for edge in &mut edges {
            edge.from = numbers[edge.from as usize];
            edge.to = numbers[edge.to as usize];
        }
        edges.sort_unstable_by_key(|edge| (edge.from, edge.to));
        Precedence { ranks, edges }
    }

    /// How many edges of the transitive reduction only a policy, or a weak order, asks for. O(nodes × edges / 64).
    pub(crate) fn n_policy_edges(&self) -> usize {
        let kept = reduce(self.order.len(), &self.edges);
        let kept = kept.iter().zip(&self.origins);
        kept.filter(|(kept, origin)| **kept && !matches!(origin, Origin::Declared(_)))
            .count()
    }
}

/// Which edges of a ranked graph its transitive reduction keeps.
fn reduce(n_nodes: usize, edges: &[Edge]) -> Vec<bool> {
    /// More blocks for each node are slower than several passes with some of them.
    const MAX_WIDTH: usize = 192;
    let lists = Lists::of_successors(n_nodes, edges);
    let width = n_nodes.div_ceil(usize::BITS as usize);
    let width = if width > MAX_WIDTH { 32 } else { width };
    let mut blocks = FixedBitSet::with_capacity(n_nodes * width * usize::BITS as usize);
    let mut kept = vec![true; edges.len()];
    mark_kept_edges(lists.links(), blocks.as_mut_slice(), &mut kept);
    kept
}
