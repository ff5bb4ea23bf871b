//! Functions that call each algorithm with memory of the minimum length.

use super::super::cycle::{fill_components, fill_shortest_cycles, find_back_edge};
use super::super::edge::Edge;
use super::super::links::Links;
use super::super::order::sort_topologically;
use super::super::path::shortest_path;
use super::super::reduce::mark_kept_edges;
use super::super::{SCRATCH_PER_NODE, UNSET};

/// The memory of [`Links`].
pub(super) struct TestLists {
    pub(super) starts: Vec<u32>,
    pub(super) targets: Vec<u32>,
    pub(super) origins: Vec<u32>,
}

impl TestLists {
    pub(super) fn of_successors(n_nodes: usize, edges: &[Edge]) -> Self {
        let mut lists = Self::new(n_nodes, edges.len());
        let Self {
            starts,
            targets,
            origins,
        } = &mut lists;
        Links::of_successors(edges, starts, targets, origins);
        lists
    }

    /// The initial values are wrong, so a test fails if an algorithm depends on them.
    fn new(n_nodes: usize, n_edges: usize) -> Self {
        Self {
            starts: vec![7; n_nodes + 1],
            targets: vec![UNSET; n_edges],
            origins: vec![UNSET; n_edges],
        }
    }
}

impl TestLists {
    pub(super) fn links(&self) -> Links<'_> {
        Links::new(&self.starts, &self.targets, &self.origins)
    }

    /// The targets and origins of a node.
    pub(super) fn of_node(&self, node_idx: usize) -> Vec<(u32, u32)> {
        let links = self.links();
        (links.start(node_idx)..links.end(node_idx))
            .map(|link_idx| (links.target(link_idx), links.origin(link_idx)))
            .collect()
    }
}

pub(super) fn edges(pairs: &[(u32, u32)]) -> Vec<Edge> {
    pairs.iter().map(|&(from, to)| Edge { from, to }).collect()
}

/// Scratch memory of the minimum length, with arbitrary content.
fn scratch(n_nodes: usize, n_per_node: usize) -> Vec<u32> {
    assert!(n_per_node <= SCRATCH_PER_NODE);
    vec![3; n_per_node * n_nodes]
}

pub(super) fn sorted(n_nodes: usize, edges: &[Edge]) -> Vec<u32> {
    let graph = TestLists::of_successors(n_nodes, edges);
    let mut order = vec![UNSET; n_nodes];
    let n_sorted = sort_topologically(graph.links(), &mut scratch(n_nodes, 2), &mut order);
    order.truncate(n_sorted);
    order
}

pub(super) fn back_edge(n_nodes: usize, edges: &[Edge]) -> Option<u32> {
    let graph = TestLists::of_successors(n_nodes, edges);
    find_back_edge(graph.links(), &mut scratch(n_nodes, 2))
}

pub(super) fn components(n_nodes: usize, edges: &[Edge]) -> (usize, Vec<u32>) {
    let graph = TestLists::of_successors(n_nodes, edges);
    let mut component = vec![0; n_nodes];
    let n_components = fill_components(graph.links(), &mut scratch(n_nodes, 5), &mut component);
    (n_components, component)
}

pub(super) fn cycles(n_nodes: usize, edges: &[Edge]) -> Vec<Vec<u32>> {
    let graph = TestLists::of_successors(n_nodes, edges);
    let (_, component) = components(n_nodes, edges);
    let mut starts = vec![UNSET; n_nodes + 1];
    let mut cycle_edges = vec![UNSET; n_nodes];
    let cycles = fill_shortest_cycles(
        graph.links(),
        &component,
        &mut scratch(n_nodes, 4),
        &mut starts,
        &mut cycle_edges,
    );
    (0..cycles.n_cycles())
        .map(|cycle_idx| cycles.cycle(cycle_idx).to_vec())
        .collect()
}

pub(super) fn path(n_nodes: usize, edges: &[Edge], from: u32, to: u32) -> Option<Vec<u32>> {
    let graph = TestLists::of_successors(n_nodes, edges);
    let mut path_edges = vec![UNSET; n_nodes];
    shortest_path(
        graph.links(),
        from,
        to,
        &mut scratch(n_nodes, 3),
        &mut path_edges,
    )
    .map(<[u32]>::to_vec)
}

pub(super) fn kept(n_nodes: usize, n_blocks: usize, edges: &[Edge]) -> (usize, Vec<bool>) {
    let graph = TestLists::of_successors(n_nodes, edges);
    let mut blocks = vec![usize::MAX; n_blocks * n_nodes];
    let mut keep = vec![false; edges.len()];
    let n_kept = mark_kept_edges(graph.links(), &mut blocks, &mut keep);
    (n_kept, keep)
}
