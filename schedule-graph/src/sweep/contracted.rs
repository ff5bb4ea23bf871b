//! The graph in which each sweep is one node.

use super::Sweeps;
use crate::graph::SCRATCH_PER_NODE;
use crate::graph::edge::Edge;
use crate::graph::lists::Lists;
use crate::graph::order::{fill_ranked_edges, fill_ranks, sort_topologically};

/// A graph in which each sweep is one node. Its nodes are numbered in a topological order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contracted {
    /// `of_node[rank]`: the contracted node of a node; len = n_nodes of the input.
    pub of_node: Vec<u32>,
    /// The edges between contracted nodes, sorted and distinct. All have `from < to`.
    pub edges: Vec<Edge>,
    /// `starts[c]..starts[c + 1]`: the members of contracted node c; len = number of contracted nodes + 1.
    starts: Vec<u32>,
    /// The ranks of the members, by contracted node, then ascending.
    members: Vec<u32>,
}

impl Contracted {
    /// The number of contracted nodes.
    pub fn n_nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// The ranks of the members of a contracted node, ascending. One for a node that shares no sweep.
    pub fn members(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.members[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}

impl Sweeps {
    /// Contracts each sweep to one node. An edge between two members vanishes. An edge from or to a member becomes an edge
    /// of the sweep.
    ///
    /// Of all nodes whose predecessors are numbered, the one with the smallest first rank comes next. So if the ranks of each
    /// loop and its body are consecutive, the numbers are too.
    ///
    /// `edges`: of the input of [`Sweeps::new`]. O(n log n + e log e).
    ///
    /// # Panics
    ///
    /// If the edges are those of another input, and have a cycle with the sweeps.
    pub fn contract(&self, edges: &[Edge]) -> Contracted {
        // Contracted nodes are first numbered by their first members.
        let (mut of_node, mut firsts) = (Vec::with_capacity(self.of_node.len()), Vec::new());
        for rank in 0..self.of_node.len() as u32 {
            let first = self.of(rank).map_or(rank, |sweep| self.members(sweep)[0]);
            let number = if first == rank {
                firsts.push(rank);
                firsts.len() as u32 - 1
            } else {
                of_node[first as usize]
            };
            of_node.push(number);
        }
        let n_nodes = firsts.len();
        let contracted = edges.iter().map(|edge| Edge {
            from: of_node[edge.from as usize],
            to: of_node[edge.to as usize],
        });
        let mut edges: Vec<Edge> = contracted.filter(|edge| edge.from != edge.to).collect();

        let mut order = vec![0; n_nodes];
        let mut scratch = vec![0; SCRATCH_PER_NODE * n_nodes];
        let successors = Lists::of_successors(n_nodes, &edges);
        let n_sorted = sort_topologically(successors.links(), &mut scratch, &mut order);
        assert!(
            n_sorted == n_nodes,
            "the sweeps and the edges must be of the same input"
        );
        let mut numbers = vec![0; n_nodes];
        fill_ranks(&order, &mut numbers);
        let by_first = edges.clone();
        fill_ranked_edges(&by_first, &numbers, &mut edges);
        edges.sort_unstable_by_key(|edge| (edge.from, edge.to));
        edges.dedup();

        let (mut starts, mut members) = (vec![0], Vec::with_capacity(self.of_node.len()));
        for &node in &order {
            let first = firsts[node as usize];
            match self.of(first) {
                Some(sweep) => members.extend_from_slice(self.members(sweep)),
                None => members.push(first),
            }
            starts.push(members.len() as u32);
        }
        for number in &mut of_node {
            *number = numbers[*number as usize];
        }
        Contracted {
            of_node,
            edges,
            starts,
            members,
        }
    }
}
