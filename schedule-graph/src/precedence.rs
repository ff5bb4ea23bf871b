//! Precedence of nodes: the predecessors of each node, and its rank by urgency.

use core::cmp::Reverse;

use crate::graph::edge::Edge;
use crate::graph::lists::Lists;
use crate::graph::order::fill_ranks;
use crate::graph::reach::fill_reach;
use crate::graph::reduce::mark_kept_edges;
use crate::graph::window::Window;

/// A reduced graph of nodes that are numbered by urgency. The most urgent node is node 0.
#[derive(Debug)]
pub struct Precedence {
    /// `ranks[v]`: the rank that node v has in the input of [`Precedence::new`]; len = n_nodes.
    pub ranks: Vec<u32>,
    /// The transitive reduction of the input, sorted. All edges have `from < to`.
    pub edges: Vec<Edge>,
}

impl Precedence {
    /// Computes the urgencies and the transitive reduction of a ranked graph, in which all edges have `from < to`.
    ///
    /// `costs[rank]`: the run time of a node, in any unit; len = n_nodes. The urgency of a node is the length of the longest
    /// path that starts with it. Cost: O(nodes × edges / 64).
    pub fn new(edges: &[Edge], costs: &[u32]) -> Self {
        let n_nodes = costs.len();
        let kept = edges
            .iter()
            .zip(reduce(n_nodes, edges))
            .filter_map(|(edge, is_kept)| is_kept.then_some(*edge));
        let mut edges: Vec<Edge> = kept.collect();
        let ranks = by_urgency(&Lists::of_successors(n_nodes, &edges), costs);
        let mut numbers = vec![0; n_nodes];
        fill_ranks(&ranks, &mut numbers);
        for edge in &mut edges {
            edge.from = numbers[edge.from as usize];
            edge.to = numbers[edge.to as usize];
        }
        edges.sort_unstable_by_key(|edge| (edge.from, edge.to));
        Self { ranks, edges }
    }

    /// Whether each node waits for the previous one, so a run on several threads is not faster.
    pub fn is_chain(&self) -> bool {
        let is_link = |(from, edge): (u32, &Edge)| edge.from == from && edge.to == from + 1;
        self.edges.len() + 1 >= self.ranks.len() && (0..).zip(&self.edges).all(is_link)
    }
}

/// The nodes of a ranked graph by descending urgency. The result is a topological order.
///
/// The urgency of a node is the length of the longest path that starts with it (highest level first, Hu 1961). If the
/// urgencies of two nodes are equal, those of their successors are compared, the greatest first. For a reduced graph, two
/// workers and equal costs, the order is optimal (Coffman and Graham 1972). Cost: O(edges × log(nodes)).
fn by_urgency(successors: &Lists, costs: &[u32]) -> Vec<u32> {
    let n_nodes = costs.len();
    let links = successors.links();
    let links_of = |node: usize| links.start(node)..links.end(node);
    // steps[v]: the length of the longest path from node v, and the number of nodes without cost at its begin. The count
    // makes the value of a node greater than the values of its successors.
    let mut steps = vec![(0_u64, 0_u32); n_nodes];
    for node in (0..n_nodes).rev() {
        let longest = links_of(node).map(|link| steps[links.target(link) as usize]);
        let (length, n_idle) = longest.max().unwrap_or((0, 0));
        steps[node] = match costs[node] {
            0 => (length, n_idle + 1),
            cost => (length + u64::from(cost), 0),
        };
    }
    let mut nodes: Vec<u32> = (0..n_nodes as u32).collect();
    nodes.sort_by_key(|&node| (steps[node as usize], Reverse(node)));
    // urgencies[v]: the index of node v in the sorted nodes, found from the least urgent node on. `successor_urgencies`: by node, the
    // urgencies of its successors, the greatest first.
    let mut urgencies = vec![0; n_nodes];
    let mut successor_urgencies = vec![0; links.n_links()];
    let mut urgency = 0;
    for equals in nodes.chunk_by_mut(|&a, &b| steps[a as usize] == steps[b as usize]) {
        for &node in &*equals {
            let of_node = &mut successor_urgencies[links_of(node as usize)];
            for (successor_urgency, link) in of_node.iter_mut().zip(links_of(node as usize)) {
                *successor_urgency = urgencies[links.target(link) as usize];
            }
            of_node.sort_unstable_by_key(|&successor_urgency| Reverse(successor_urgency));
        }
        equals.sort_by_key(|&node| &successor_urgencies[links_of(node as usize)]);
        for &node in &*equals {
            urgencies[node as usize] = urgency;
            urgency += 1;
        }
    }
    nodes.reverse();
    nodes
}

/// Whether the transitive reduction of a ranked graph keeps each edge.
///
/// Cost: O(nodes × (nodes + edges) / 64) time, O(nodes + edges) memory.
pub fn reduce(n_nodes: usize, edges: &[Edge]) -> Vec<bool> {
    let lists = Lists::of_successors(n_nodes, edges);
    let mut blocks = vec![0; n_nodes * window_width(n_nodes)];
    let mut kept = vec![true; edges.len()];
    mark_kept_edges(lists.links(), &mut blocks, &mut kept);
    kept
}

/// For each pair, whether a path of these edges leads from its first node to its second. All edges and pairs have
/// `from < to`.
///
/// Cost: O(nodes × (nodes + edges) / 64) time, O(nodes + edges + pairs) memory.
pub fn connected(n_nodes: usize, edges: &[Edge], pairs: &[Edge]) -> Vec<bool> {
    let mut connected = vec![false; pairs.len()];
    let mut by_target: Vec<usize> = (0..pairs.len()).collect();
    by_target.sort_unstable_by_key(|&pair| pairs[pair].to);
    let lists = Lists::of_successors(n_nodes, edges);
    let n_blocks = window_width(n_nodes);
    let mut blocks = vec![0; n_nodes * n_blocks];
    let mut open = by_target.as_slice();
    while let Some(&pair) = open.first() {
        let window = Window {
            first: pairs[pair].to as usize,
            n_blocks,
        };
        let reach = fill_reach(lists.links(), window, &mut blocks);
        let n_inside = open.partition_point(|&pair| (pairs[pair].to as usize) < window.end());
        let (inside, rest) = open.split_at(n_inside);
        for &pair in inside {
            connected[pair] = reach.has_path(pairs[pair].from, pairs[pair].to);
        }
        open = rest;
    }
    connected
}

/// The number of blocks of each node in a window of reachability. Wider rows would exceed the caches, so several passes
/// are faster.
fn window_width(n_nodes: usize) -> usize {
    n_nodes.div_ceil(usize::BITS as usize).min(32)
}

#[cfg(test)]
mod tests;
