//! Facts about each algorithm on small graphs, properties against brute force on random ones, and
//! the proof that every function runs in const evaluation.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::cycle::{fill_components, fill_shortest_cycles, find_back_edge};
use super::edge::Edge;
use super::heap::Heap;
use super::links::Links;
use super::order::{fill_ranked_edges, fill_ranks, sort_topologically};
use super::path::shortest_path;
use super::reach::fill_reach;
use super::reduce::mark_kept_edges;
use super::window::Window;
use super::{SCRATCH_PER_NODE, UNSET};

const BITS: usize = Window::NODES_PER_BLOCK;

// ---- Links ----

#[test]
fn links_of_a_node_keep_the_order_of_the_edges() {
    let edges = edges(&[(2, 0), (0, 2), (2, 2), (0, 1), (2, 0), (0, 2)]);
    let graph = Lists::of_successors(3, &edges);
    assert_eq!(graph.starts, [0, 3, 3, 6]);
    assert_eq!(graph.targets, [2, 1, 2, 0, 2, 0]);
    assert_eq!(graph.origins, [1, 3, 5, 0, 2, 4]);
}

#[test]
fn a_graph_without_nodes_has_no_links() {
    let graph = Lists::of_successors(0, &[]);
    assert_eq!(graph.links().n_nodes(), 0);
    assert_eq!(graph.links().n_links(), 0);
}

#[test]
#[should_panic(expected = "an edge must join nodes of the graph")]
fn links_refuse_an_edge_to_a_node_that_is_not_there() {
    Lists::of_successors(2, &edges(&[(0, 2)]));
}

#[test]
#[should_panic(expected = "an edge must join nodes of the graph")]
fn links_refuse_an_edge_from_a_node_that_is_not_there() {
    Lists::of_successors(2, &edges(&[(2, 0)]));
}

// ---- Order ----

#[test]
fn kahn_takes_the_smallest_ready_index_first() {
    let edges = edges(&[(5, 1), (4, 0), (1, 3), (0, 2)]);
    assert_eq!(sorted(6, &edges), [4, 0, 2, 5, 1, 3]);
}

#[test]
fn kahn_keeps_the_order_of_declaration_without_edges() {
    assert_eq!(sorted(5, &[]), [0, 1, 2, 3, 4]);
}

#[test]
fn kahn_leaves_out_a_cycle_and_what_lies_behind_it() {
    let edges = edges(&[(0, 1), (1, 2), (2, 1), (2, 3), (4, 3)]);
    assert_eq!(sorted(5, &edges), [0, 4]);
}

#[test]
fn kahn_counts_parallel_edges_and_leaves_out_self_loops() {
    assert_eq!(sorted(3, &edges(&[(2, 0), (2, 0), (1, 1)])), [2, 0]);
}

#[test]
fn kahn_sorts_nothing_without_nodes() {
    assert_eq!(sorted(0, &[]), []);
}

// ---- Cycles ----

#[test]
fn the_back_edge_closes_the_cycle() {
    assert_eq!(
        back_edge(3, &edges(&[(0, 1), (0, 2), (1, 2), (2, 0)])),
        Some(3)
    );
    assert_eq!(back_edge(2, &edges(&[(0, 1), (1, 1)])), Some(1));
}

#[test]
fn a_diamond_has_no_back_edge() {
    assert_eq!(
        back_edge(4, &edges(&[(0, 1), (0, 2), (1, 3), (2, 3), (0, 1)])),
        None
    );
    assert_eq!(back_edge(0, &[]), None);
}

#[test]
fn components_are_numbered_after_those_they_lead_to() {
    // 0 leads to the pair {1, 3}, which leads to 2; 4 stands alone.
    let edges = edges(&[(0, 1), (1, 3), (3, 1), (3, 2), (4, 4)]);
    assert_eq!(components(5, &edges), (4, vec![2, 1, 0, 1, 3]));
}

#[test]
fn components_that_share_no_cycle_stay_apart() {
    // The link from {2, 3} back to the closed component {0, 1} must not join them.
    let edges = edges(&[(0, 1), (1, 0), (2, 1), (2, 3), (3, 2)]);
    assert_eq!(components(4, &edges), (2, vec![0, 0, 1, 1]));
}

#[test]
fn a_graph_without_nodes_has_no_components_and_no_cycles() {
    assert_eq!(components(0, &[]), (0, vec![]));
    assert_eq!(cycles(0, &[]), Vec::<Vec<u32>>::new());
}

#[test]
fn the_cycle_of_a_component_is_a_shortest_one_through_its_first_node() {
    // 1 -> 2 -> 3 -> 1 and the shorter 1 -> 3 -> 1, declared later; 2 -> 3 -> 2 misses node 1.
    let edges = edges(&[(1, 2), (2, 3), (3, 2), (3, 1), (1, 3), (0, 1)]);
    assert_eq!(cycles(4, &edges), [vec![4, 3]]);
}

#[test]
fn a_self_loop_is_a_cycle_of_one_edge() {
    assert_eq!(
        cycles(3, &edges(&[(0, 1), (1, 1), (1, 1), (1, 2)])),
        [vec![1]]
    );
}

#[test]
fn a_self_loop_on_another_node_is_not_the_cycle_of_the_first() {
    assert_eq!(cycles(2, &edges(&[(1, 1), (0, 1), (1, 0)])), [vec![1, 2]]);
}

#[test]
fn cycles_name_the_earliest_of_parallel_edges() {
    assert_eq!(
        cycles(2, &edges(&[(1, 0), (0, 1), (1, 0), (0, 1)])),
        [vec![1, 0]]
    );
}

#[test]
fn cycles_come_in_the_order_of_their_first_nodes() {
    let edges = edges(&[(3, 1), (1, 3), (2, 0), (0, 2), (3, 0), (4, 4)]);
    assert_eq!(cycles(5, &edges), [vec![3, 2], vec![1, 0], vec![5]]);
}

// ---- Paths ----

#[test]
fn a_path_names_its_edges_in_order() {
    let edges = edges(&[(2, 3), (0, 1), (1, 2), (1, 2), (0, 1)]);
    assert_eq!(path(4, &edges, 0, 3), Some(vec![1, 2, 0]));
}

#[test]
fn a_path_takes_the_fewest_edges() {
    let edges = edges(&[(0, 1), (1, 2), (2, 3), (0, 2)]);
    assert_eq!(path(4, &edges, 0, 3), Some(vec![3, 2]));
}

#[test]
fn the_path_from_a_node_to_itself_is_empty_and_not_absent() {
    let edges = edges(&[(0, 0), (0, 1), (1, 0)]);
    assert_eq!(path(3, &edges, 0, 0), Some(vec![]));
    assert_eq!(path(3, &edges, 0, 2), None);
    assert_eq!(path(3, &edges, 2, 0), None);
}

#[test]
fn a_path_may_pass_cycles_that_lead_back_to_its_start() {
    let edges = edges(&[(0, 0), (0, 1), (1, 0), (1, 2)]);
    assert_eq!(path(3, &edges, 0, 2), Some(vec![1, 3]));
}

// ---- Reachability ----

#[test]
fn reach_needs_an_edge() {
    let graph = Lists::of_successors(3, &edges(&[(0, 1), (1, 2)]));
    let mut blocks = vec![0; Window::full(3).n_row_blocks(3)];
    let reach = fill_reach(graph.links(), Window::full(3), &mut blocks);
    assert_eq!(reach.row(0), [0b110]);
    assert_eq!(reach.row(1), [0b100]);
    assert_eq!(reach.row(2), [0]);
    assert!(reach.has_path(0, 2));
    assert!(!reach.has_path(2, 0));
    assert!(!reach.has_path(1, 1));
}

#[test]
fn reach_crosses_the_borders_of_blocks() {
    // A chain through three blocks, of which the window holds the second.
    let n_nodes = 3 * BITS;
    let chain: Vec<_> = (1..n_nodes as u32)
        .map(|node| Edge {
            from: node - 1,
            to: node,
        })
        .collect();
    let graph = Lists::of_successors(n_nodes, &chain);
    let window = Window {
        first: BITS,
        n_blocks: 1,
    };
    assert_eq!(window.n_rows(n_nodes), 2 * BITS);
    let mut blocks = vec![usize::MAX; window.n_row_blocks(n_nodes)];
    let reach = fill_reach(graph.links(), window, &mut blocks);
    assert_eq!(reach.row(0), [usize::MAX]);
    assert_eq!(reach.row(BITS as u32 - 1), [usize::MAX]);
    assert_eq!(reach.row(BITS as u32), [usize::MAX - 1]);
    assert_eq!(reach.row(2 * BITS as u32 - 2), [1 << (BITS - 1)]);
    assert_eq!(reach.row(2 * BITS as u32 - 1), [0]);
    assert_eq!(reach.row(2 * BITS as u32), [0; 0]);
    assert!(!reach.has_path(2 * BITS as u32, BITS as u32));
}

#[test]
#[should_panic(expected = "the window must hold the node")]
fn reach_refuses_a_question_about_a_node_outside_of_the_window() {
    let graph = Lists::of_successors(2 * BITS, &[]);
    let window = Window {
        first: 0,
        n_blocks: 1,
    };
    let mut blocks = vec![0; window.n_row_blocks(2 * BITS)];
    fill_reach(graph.links(), window, &mut blocks).has_path(0, BITS as u32);
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "the graph must be ranked")]
fn reach_refuses_a_self_loop() {
    let graph = Lists::of_successors(1, &edges(&[(0, 0)]));
    fill_reach(graph.links(), Window::full(1), &mut [0]);
}

#[test]
fn reach_without_nodes_has_no_blocks() {
    let graph = Lists::of_successors(0, &[]);
    let reach = fill_reach(graph.links(), Window::full(0), &mut []);
    assert_eq!(reach.row(0), [0; 0]);
}

// ---- Reduction ----

#[test]
fn an_edge_goes_if_a_longer_path_implies_it() {
    let edges = edges(&[(0, 3), (0, 1), (1, 2), (2, 3), (0, 2)]);
    assert_eq!(
        kept(4, 1, &edges),
        (3, vec![false, true, true, true, false])
    );
}

#[test]
fn the_earliest_of_parallel_edges_stays() {
    assert_eq!(
        kept(2, 1, &edges(&[(0, 1), (0, 1), (0, 1)])),
        (1, vec![true, false, false])
    );
}

#[test]
fn parallel_edges_all_go_if_a_longer_path_implies_them() {
    let edges = edges(&[(0, 2), (0, 1), (1, 2), (0, 2)]);
    assert_eq!(kept(3, 1, &edges), (2, vec![false, true, true, false]));
}

#[test]
fn a_graph_without_nodes_has_nothing_to_reduce() {
    assert_eq!(kept(0, 0, &[]), (0, vec![]));
}

#[test]
#[should_panic(expected = "a block per node")]
fn a_reduction_needs_a_block_per_node() {
    let graph = Lists::of_successors(2, &[]);
    mark_kept_edges(graph.links(), &mut [0], &mut []);
}

// ---- Properties ----

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 512 },
        // Miri isolates the program from the file system.
        failure_persistence: if cfg!(miri) {
            None
        } else {
            ProptestConfig::default().failure_persistence
        },
        ..ProptestConfig::default()
    }
}

/// The number of nodes up to which graphs are drawn, at least two blocks where time allows.
const MAX_NODES: usize = if cfg!(miri) { 6 } else { 2 * BITS + 10 };

/// Any graph, with few enough nodes that cycles, self-loops and parallel edges are common.
fn any_graph() -> impl Strategy<Value = (usize, Vec<Edge>)> {
    (0..if cfg!(miri) { 5_usize } else { 12 }).prop_flat_map(|n_nodes| {
        let node = 0..n_nodes.max(1) as u32;
        let edge = (node.clone(), node).prop_map(|(from, to)| Edge { from, to });
        let n_edges = if n_nodes == 0 { 0 } else { 2 * n_nodes };
        (Just(n_nodes), proptest::collection::vec(edge, 0..=n_edges))
    })
}

/// A graph whose edges all have `from < to`, small or of several blocks.
fn ranked_graph() -> impl Strategy<Value = (usize, Vec<Edge>)> {
    prop_oneof![0..8_usize, 0..MAX_NODES].prop_flat_map(|n_nodes| {
        let node = 0..n_nodes.max(1) as u32;
        // Short edges make long paths, and redundant edges likely.
        let edge = (node, 1..=8_u32).prop_map(move |(from, step)| Edge {
            from,
            to: from + step,
        });
        let long = proptest::collection::vec((0..n_nodes.max(1), 0..n_nodes.max(1)), 0..=n_nodes);
        (
            Just(n_nodes),
            proptest::collection::vec(edge, 0..=2 * n_nodes),
            long,
        )
            .prop_map(|(n_nodes, short, long)| {
                let long = long.into_iter().map(|(a, b)| Edge {
                    from: a.min(b) as u32,
                    to: a.max(b) as u32,
                });
                let edges = short
                    .into_iter()
                    .chain(long)
                    .filter(|edge| edge.from < edge.to && (edge.to as usize) < n_nodes)
                    .collect();
                (n_nodes, edges)
            })
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn links_are_the_edges_of_each_node((n_nodes, edges) in any_graph()) {
        let successors = Lists::of_successors(n_nodes, &edges);
        for node_idx in 0..n_nodes {
            let expected = |is_own: &dyn Fn(&Edge) -> Option<u32>| -> Vec<(u32, u32)> {
                (0..)
                    .zip(&edges)
                    .filter_map(|(edge_idx, edge)| Some((is_own(edge)?, edge_idx)))
                    .collect()
            };
            prop_assert_eq!(
                successors.of_node(node_idx),
                expected(&|edge| (edge.from as usize == node_idx).then_some(edge.to))
            );
        }
    }

    #[test]
    fn the_heap_yields_the_smallest_first(pushed in proptest::collection::vec(0..50_u32, 0..40)) {
        let mut slots = vec![0; pushed.len()];
        let mut heap = Heap::new(&mut slots);
        for &node in &pushed {
            heap.push(node);
        }
        let popped: Vec<_> = std::iter::from_fn(|| heap.pop()).collect();
        let mut expected = pushed;
        expected.sort_unstable();
        prop_assert_eq!(popped, expected);
    }

    #[test]
    fn kahn_agrees_with_looking_for_the_smallest_ready_node((n_nodes, edges) in any_graph()) {
        let mut is_sorted = vec![false; n_nodes];
        let mut expected = Vec::new();
        while let Some(node_idx) = (0..n_nodes).find(|&node_idx| {
            !is_sorted[node_idx]
                && edges
                    .iter()
                    .all(|edge| edge.to as usize != node_idx || is_sorted[edge.from as usize])
        }) {
            is_sorted[node_idx] = true;
            expected.push(node_idx as u32);
        }
        prop_assert_eq!(sorted(n_nodes, &edges), expected);
    }

    #[test]
    fn ranked_edges_lead_upwards((n_nodes, edges) in ranked_graph(), seed in any::<u64>()) {
        // Any renumbering of a ranked graph is a graph without cycles.
        let mut names: Vec<u32> = (0..n_nodes as u32).collect();
        names.sort_by_key(|&node| (u64::from(node) + 1).wrapping_mul(seed | 1).rotate_left(17));
        let edges: Vec<_> = edges
            .iter()
            .map(|edge| Edge { from: names[edge.from as usize], to: names[edge.to as usize] })
            .collect();
        let order = sorted(n_nodes, &edges);
        prop_assert_eq!(order.len(), n_nodes);
        let mut ranks = vec![UNSET; n_nodes];
        fill_ranks(&order, &mut ranks);
        let mut ranked = edges.clone();
        fill_ranked_edges(&edges, &ranks, &mut ranked);
        for (edge, ranked) in edges.iter().zip(&ranked) {
            prop_assert!(ranked.from < ranked.to);
            prop_assert_eq!(order[ranked.from as usize], edge.from);
            prop_assert_eq!(order[ranked.to as usize], edge.to);
        }
    }

    #[test]
    fn a_back_edge_lies_on_a_cycle((n_nodes, edges) in any_graph()) {
        let closure = closure(n_nodes, &edges);
        let has_cycle = (0..n_nodes).any(|node_idx| closure[node_idx][node_idx]);
        match back_edge(n_nodes, &edges) {
            None => prop_assert!(!has_cycle),
            Some(edge_idx) => {
                let edge = edges[edge_idx as usize];
                prop_assert!(edge.from == edge.to || closure[edge.to as usize][edge.from as usize]);
            }
        }
        prop_assert_eq!(has_cycle, sorted(n_nodes, &edges).len() < n_nodes);
    }

    #[test]
    fn components_are_the_sets_of_nodes_that_reach_each_other((n_nodes, edges) in any_graph()) {
        let closure = closure(n_nodes, &edges);
        let (n_components, component) = components(n_nodes, &edges);
        for a in 0..n_nodes {
            prop_assert!((component[a] as usize) < n_components);
            for b in 0..n_nodes {
                let is_same = a == b || (closure[a][b] && closure[b][a]);
                prop_assert_eq!(component[a] == component[b], is_same);
                if closure[a][b] {
                    prop_assert!(component[a] >= component[b]);
                }
            }
        }
        for component_idx in 0..n_components as u32 {
            prop_assert!(component.contains(&component_idx));
        }
    }

    #[test]
    fn cycles_are_shortest_closed_walks((n_nodes, edges) in any_graph()) {
        let closure = closure(n_nodes, &edges);
        let found = cycles(n_nodes, &edges);
        let mut found = found.iter();
        for (first, reached) in closure.iter().enumerate() {
            let is_first = (0..first).all(|node| !(reached[node] && closure[node][first]));
            if !reached[first] || !is_first {
                continue;
            }
            let cycle = found.next().expect("every component with a cycle must have one found");
            // Removing the first step leaves a path back, whose length brute force knows.
            let n_shortest = edges
                .iter()
                .filter(|edge| edge.from as usize == first)
                .filter_map(|edge| distance(n_nodes, &edges, edge.to, first as u32))
                .min()
                .map(|n_edges| n_edges + 1);
            prop_assert_eq!(Some(cycle.len()), n_shortest);
            check_walk(&edges, first as u32, first as u32, cycle)?;
        }
        prop_assert_eq!(found.next(), None);
    }

    #[test]
    fn paths_are_shortest_walks((n_nodes, edges) in any_graph()) {
        for from in 0..n_nodes as u32 {
            for to in 0..n_nodes as u32 {
                let path = path(n_nodes, &edges, from, to);
                prop_assert_eq!(path.as_ref().map(Vec::len), distance(n_nodes, &edges, from, to));
                if let Some(path) = path {
                    check_walk(&edges, from, to, &path)?;
                }
            }
        }
    }

    #[test]
    fn reach_agrees_with_the_closure_in_every_window(
        (n_nodes, edges) in ranked_graph(),
        first in 0..MAX_NODES,
        n_blocks in 0..3_usize,
    ) {
        let closure = closure(n_nodes, &edges);
        let graph = Lists::of_successors(n_nodes, &edges);
        for window in [Window::full(n_nodes), Window { first, n_blocks }] {
            // Filled with ones, to see that old content does not matter.
            let mut blocks = vec![usize::MAX; window.n_row_blocks(n_nodes)];
            let reach = fill_reach(graph.links(), window, &mut blocks);
            for (from, reached) in closure.iter().enumerate() {
                let row = reach.row(from as u32);
                let has_row = from < window.end() && window.n_blocks > 0;
                prop_assert_eq!(row.len(), if has_row { window.n_blocks } else { 0 });
                for to in window.first..window.end() {
                    let is_reached = reached.get(to).copied().unwrap_or(false);
                    prop_assert_eq!(reach.has_path(from as u32, to as u32), is_reached);
                    let bit = to - window.first;
                    let is_set = has_row && row[bit / BITS] >> (bit % BITS) & 1 == 1;
                    prop_assert_eq!(is_set, is_reached);
                }
            }
        }
    }

    #[test]
    fn the_reduction_is_what_brute_force_leaves((n_nodes, edges) in ranked_graph()) {
        let closure = closure(n_nodes, &edges);
        let expected: Vec<_> = edges
            .iter()
            .enumerate()
            .map(|(edge_idx, edge)| {
                let is_implied = edges.iter().any(|first_step| {
                    first_step.from == edge.from
                        && closure[first_step.to as usize][edge.to as usize]
                });
                !is_implied && !edges[..edge_idx].contains(edge)
            })
            .collect();
        let n_kept = expected.iter().filter(|&&is_kept| is_kept).count();
        for n_blocks in 1..=3 {
            prop_assert_eq!(kept(n_nodes, n_blocks, &edges), (n_kept, expected.clone()));
        }
    }
}

// ---- Brute force ----

/// `closure[a][b]`: a path of at least one edge leads from a to b (Floyd 1962, Warshall 1962).
fn closure(n_nodes: usize, edges: &[Edge]) -> Vec<Vec<bool>> {
    let mut closure = vec![vec![false; n_nodes]; n_nodes];
    for edge in edges {
        closure[edge.from as usize][edge.to as usize] = true;
    }
    for via in 0..n_nodes {
        let via_row = closure[via].clone();
        for row in &mut closure {
            if row[via] {
                for (is_reached, is_reached_via) in row.iter_mut().zip(&via_row) {
                    *is_reached |= is_reached_via;
                }
            }
        }
    }
    closure
}

/// The least number of edges from one node to another, by relaxing all edges until nothing changes.
fn distance(n_nodes: usize, edges: &[Edge], from: u32, to: u32) -> Option<usize> {
    let mut distances = vec![None; n_nodes];
    distances[from as usize] = Some(0);
    let mut nodes = VecDeque::from([from]);
    while let Some(node) = nodes.pop_front() {
        for edge in edges.iter().filter(|edge| edge.from == node) {
            let candidate = distances[node as usize].map(|n_edges: usize| n_edges + 1);
            let best = &mut distances[edge.to as usize];
            if best.is_none() || candidate < *best {
                *best = candidate;
                nodes.push_back(edge.to);
            }
        }
    }
    distances[to as usize]
}

/// Checks that edges join end to end, and that each is the earliest between its nodes.
fn check_walk(edges: &[Edge], from: u32, to: u32, walk: &[u32]) -> Result<(), TestCaseError> {
    let mut node = from;
    for &edge_idx in walk {
        let edge = edges[edge_idx as usize];
        prop_assert_eq!(edge.from, node);
        prop_assert!(!edges[..edge_idx as usize].contains(&edge));
        node = edge.to;
    }
    prop_assert_eq!(node, to);
    Ok(())
}

// ---- Calls with memory of the right length ----

/// The slices behind [`Links`].
struct Lists {
    starts: Vec<u32>,
    targets: Vec<u32>,
    origins: Vec<u32>,
}

impl Lists {
    fn of_successors(n_nodes: usize, edges: &[Edge]) -> Self {
        let mut lists = Self::new(n_nodes, edges.len());
        let Self {
            starts,
            targets,
            origins,
        } = &mut lists;
        Links::of_successors(edges, starts, targets, origins);
        lists
    }

    /// Filled with the wrong values, to see that old content does not matter.
    fn new(n_nodes: usize, n_edges: usize) -> Self {
        Self {
            starts: vec![7; n_nodes + 1],
            targets: vec![UNSET; n_edges],
            origins: vec![UNSET; n_edges],
        }
    }
}

impl Lists {
    fn links(&self) -> Links<'_> {
        Links::new(&self.starts, &self.targets, &self.origins)
    }

    /// The targets and origins of a node.
    fn of_node(&self, node_idx: usize) -> Vec<(u32, u32)> {
        let links = self.links();
        (links.start(node_idx)..links.end(node_idx))
            .map(|link_idx| (links.target(link_idx), links.origin(link_idx)))
            .collect()
    }
}

fn edges(pairs: &[(u32, u32)]) -> Vec<Edge> {
    pairs.iter().map(|&(from, to)| Edge { from, to }).collect()
}

/// Scratch space of exactly the length that a function asks for, with content it must not rely on.
fn scratch(n_nodes: usize, n_per_node: usize) -> Vec<u32> {
    assert!(n_per_node <= SCRATCH_PER_NODE);
    vec![3; n_per_node * n_nodes]
}

fn sorted(n_nodes: usize, edges: &[Edge]) -> Vec<u32> {
    let graph = Lists::of_successors(n_nodes, edges);
    let mut order = vec![UNSET; n_nodes];
    let n_sorted = sort_topologically(graph.links(), &mut scratch(n_nodes, 2), &mut order);
    order.truncate(n_sorted);
    order
}

fn back_edge(n_nodes: usize, edges: &[Edge]) -> Option<u32> {
    let graph = Lists::of_successors(n_nodes, edges);
    find_back_edge(graph.links(), &mut scratch(n_nodes, 2))
}

fn components(n_nodes: usize, edges: &[Edge]) -> (usize, Vec<u32>) {
    let graph = Lists::of_successors(n_nodes, edges);
    let mut component = vec![0; n_nodes];
    let n_components = fill_components(graph.links(), &mut scratch(n_nodes, 5), &mut component);
    (n_components, component)
}

fn cycles(n_nodes: usize, edges: &[Edge]) -> Vec<Vec<u32>> {
    let graph = Lists::of_successors(n_nodes, edges);
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

fn path(n_nodes: usize, edges: &[Edge], from: u32, to: u32) -> Option<Vec<u32>> {
    let graph = Lists::of_successors(n_nodes, edges);
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

fn kept(n_nodes: usize, n_blocks: usize, edges: &[Edge]) -> (usize, Vec<bool>) {
    let graph = Lists::of_successors(n_nodes, edges);
    let mut blocks = vec![usize::MAX; n_blocks * n_nodes];
    let mut keep = vec![false; edges.len()];
    let n_kept = mark_kept_edges(graph.links(), &mut blocks, &mut keep);
    (n_kept, keep)
}

// ---- Const evaluation ----

/// A graph without cycles, with parallel and implied edges, not ranked.
mod acyclic {
    use super::*;

    const N_NODES: usize = 5;
    const EDGES: [Edge; 7] = [
        Edge { from: 4, to: 0 },
        Edge { from: 0, to: 2 },
        Edge { from: 4, to: 2 },
        Edge { from: 2, to: 1 },
        Edge { from: 0, to: 2 },
        Edge { from: 3, to: 1 },
        Edge { from: 4, to: 1 },
    ];

    struct Sorted {
        n_sorted: usize,
        order: [u32; N_NODES],
        ranks: [u32; N_NODES],
        ranked: [Edge; EDGES.len()],
    }

    const SORTED: Sorted = {
        let (mut starts, mut targets, mut origins) =
            ([0; N_NODES + 1], [0; EDGES.len()], [0; EDGES.len()]);
        let successors = Links::of_successors(&EDGES, &mut starts, &mut targets, &mut origins);
        let mut order = [0; N_NODES];
        let n_sorted =
            sort_topologically(successors, &mut [0; SCRATCH_PER_NODE * N_NODES], &mut order);
        let mut ranks = [0; N_NODES];
        fill_ranks(&order, &mut ranks);
        let mut ranked = EDGES;
        fill_ranked_edges(&EDGES, &ranks, &mut ranked);
        Sorted {
            n_sorted,
            order,
            ranks,
            ranked,
        }
    };

    #[test]
    fn a_constant_order_is_that_of_run_time() {
        assert_eq!(SORTED.n_sorted, N_NODES);
        assert_eq!(SORTED.order.to_vec(), sorted(N_NODES, &EDGES));
        let mut ranks = [0; N_NODES];
        fill_ranks(&SORTED.order, &mut ranks);
        assert_eq!(SORTED.ranks, ranks);
        let mut ranked = EDGES;
        fill_ranked_edges(&EDGES, &ranks, &mut ranked);
        assert_eq!(SORTED.ranked, ranked);
    }

    const BACK_EDGE: Option<u32> = {
        let (mut starts, mut targets, mut origins) =
            ([0; N_NODES + 1], [0; EDGES.len()], [0; EDGES.len()]);
        let links = Links::of_successors(&EDGES, &mut starts, &mut targets, &mut origins);
        find_back_edge(links, &mut [0; SCRATCH_PER_NODE * N_NODES])
    };

    #[test]
    fn a_constant_search_for_a_back_edge_finds_none_either() {
        assert_eq!(BACK_EDGE, back_edge(N_NODES, &EDGES));
    }

    const WINDOW: Window = Window::full(N_NODES);
    const BLOCKS: [usize; WINDOW.n_row_blocks(N_NODES)] = {
        let (mut starts, mut targets, mut origins) =
            ([0; N_NODES + 1], [0; EDGES.len()], [0; EDGES.len()]);
        let successors =
            Links::of_successors(&SORTED.ranked, &mut starts, &mut targets, &mut origins);
        let mut blocks = [0; WINDOW.n_row_blocks(N_NODES)];
        let reach = fill_reach(successors, WINDOW, &mut blocks);
        assert!(reach.has_path(SORTED.ranks[4], SORTED.ranks[1]));
        assert!(reach.row(SORTED.ranks[1])[0] == 0);
        blocks
    };

    #[test]
    fn a_constant_closure_is_that_of_run_time() {
        let graph = Lists::of_successors(N_NODES, &SORTED.ranked);
        let mut blocks = [0; WINDOW.n_row_blocks(N_NODES)];
        fill_reach(graph.links(), WINDOW, &mut blocks);
        assert_eq!(BLOCKS, blocks);
    }

    const KEPT: (usize, [bool; EDGES.len()]) = {
        let (mut starts, mut targets, mut origins) =
            ([0; N_NODES + 1], [0; EDGES.len()], [0; EDGES.len()]);
        let successors =
            Links::of_successors(&SORTED.ranked, &mut starts, &mut targets, &mut origins);
        let mut keep = [false; EDGES.len()];
        let n_kept = mark_kept_edges(successors, &mut [0; N_NODES], &mut keep);
        (n_kept, keep)
    };

    #[test]
    fn a_constant_reduction_is_that_of_run_time() {
        assert_eq!(KEPT.0, 4);
        assert_eq!((KEPT.0, KEPT.1.to_vec()), kept(N_NODES, 1, &SORTED.ranked));
    }
}

/// A graph with two components that have cycles.
mod cyclic {
    use super::*;

    const N_NODES: usize = 5;
    const EDGES: [Edge; 7] = [
        Edge { from: 0, to: 1 },
        Edge { from: 1, to: 2 },
        Edge { from: 2, to: 3 },
        Edge { from: 3, to: 1 },
        Edge { from: 2, to: 1 },
        Edge { from: 4, to: 4 },
        Edge { from: 3, to: 4 },
    ];

    struct Found {
        back_edge: Option<u32>,
        n_components: usize,
        component: [u32; N_NODES],
        first_cycle: [u32; 2],
        last_cycle: [u32; 1],
        path: [u32; 4],
    }

    const FOUND: Found = {
        let mut scratch = [0; SCRATCH_PER_NODE * N_NODES];
        let (mut starts, mut targets, mut origins) =
            ([0; N_NODES + 1], [0; EDGES.len()], [0; EDGES.len()]);
        let successors = Links::of_successors(&EDGES, &mut starts, &mut targets, &mut origins);
        let back_edge = find_back_edge(successors, &mut scratch);
        let mut component = [0; N_NODES];
        let n_components = fill_components(successors, &mut scratch, &mut component);
        let (mut cycle_starts, mut cycle_edges) = ([0; N_NODES + 1], [0; N_NODES]);
        let cycles = fill_shortest_cycles(
            successors,
            &component,
            &mut scratch,
            &mut cycle_starts,
            &mut cycle_edges,
        );
        assert!(cycles.n_cycles() == 2);
        let first_cycle = *cycles.cycle(0).first_chunk().unwrap();
        let last_cycle = *cycles.cycle(1).first_chunk().unwrap();
        let mut path_edges = [0; N_NODES];
        let path = shortest_path(successors, 0, 4, &mut scratch, &mut path_edges);
        let path = *path.unwrap().first_chunk().unwrap();
        Found {
            back_edge,
            n_components,
            component,
            first_cycle,
            last_cycle,
            path,
        }
    };

    #[test]
    fn constant_cycles_and_paths_are_those_of_run_time() {
        assert_eq!(FOUND.back_edge, back_edge(N_NODES, &EDGES));
        assert_eq!(
            (FOUND.n_components, FOUND.component.to_vec()),
            components(N_NODES, &EDGES)
        );
        assert_eq!(
            [FOUND.first_cycle.to_vec(), FOUND.last_cycle.to_vec()].to_vec(),
            cycles(N_NODES, &EDGES)
        );
        assert_eq!(Some(FOUND.path.to_vec()), path(N_NODES, &EDGES, 0, 4));
    }
}
