//! Lengths of paths along which each node waits for the previous one.

use crate::verify::plan::Plan;
use schedule_graph::Edge;

/// The longest paths of a plan.
pub(super) struct Paths<'a> {
    plan: &'a Plan,
    /// `costs_ns[rank]`: the cost of a node in nanoseconds. All vectors have this length, n_nodes.
    costs_ns: &'a [u64],
    /// `until[rank]`: the duration of the longest path that ends with this node, including it.
    until: Vec<u64>,
    /// `from[rank]`: the duration of the longest path that begins with this node, including it.
    from: Vec<u64>,
}

impl<'a> Paths<'a> {
    /// O(nodes + edges).
    pub(super) fn new(plan: &'a Plan, costs_ns: &'a [u64]) -> Self {
        let (mut until, mut from) = (costs_ns.to_vec(), costs_ns.to_vec());
        // All edges have `from < to`, so in both directions the value at the first end is final when an edge is visited.
        let edges = plan.incoming();
        for edge in edges {
            let (before, after) = (edge.from as usize, edge.to as usize);
            until[after] = until[after].max(until[before] + costs_ns[after]);
        }
        for edge in edges.iter().rev() {
            let (before, after) = (edge.from as usize, edge.to as usize);
            from[before] = from[before].max(from[after] + costs_ns[before]);
        }
        Self {
            plan,
            costs_ns,
            until,
            from,
        }
    }

    /// Returns the duration of the longest path along this edge.
    pub(super) fn through(&self, edge: Edge) -> u64 {
        self.until[edge.from as usize] + self.from[edge.to as usize]
    }

    /// Returns the ranks of the nodes on the longest path. Omits nodes without a cost.
    pub(super) fn critical(&self) -> Vec<u32> {
        let span = self.from.iter().copied().max().unwrap_or(0);
        let mut path = Vec::new();
        let mut at = (0..).zip(&self.from).find(|one| *one.1 == span);
        while let Some((rank, from)) = at {
            let cost_ns = self.costs_ns[rank as usize];
            if cost_ns > 0 {
                path.push(rank);
            }
            let mut behind =
                self.plan.edges().map(|(edge, _)| edge).filter(|edge| {
                    edge.from == rank && self.from[edge.to as usize] == from - cost_ns
                });
            at = behind
                .next()
                .map(|edge| (edge.to, &self.from[edge.to as usize]));
        }
        path
    }
}
