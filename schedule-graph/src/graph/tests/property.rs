//! Each algorithm on random graphs, compared with brute force.

use std::collections::VecDeque;

use crate::cases::n_cases;
use proptest::prelude::*;

use super::super::UNSET;
use super::super::edge::Edge;
use super::super::heap::MinHeap;
use super::super::order::{fill_ranked_edges, fill_ranks};
use super::super::reach::fill_reach;
use super::super::window::Window;
use super::BITS;
use super::call::{TestLists, back_edge, components, cycles, kept, path, sorted};

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: n_cases(512, 4),
        // Miri isolates the program from the file system.
        failure_persistence: if cfg!(miri) {
            None
        } else {
            ProptestConfig::default().failure_persistence
        },
        ..ProptestConfig::default()
    }
}

/// The maximum number of nodes of random graphs: more than one block, except under Miri.
const MAX_NODES: usize = if cfg!(miri) { 6 } else { 2 * BITS + 10 };

/// Any graph. It has few nodes, so cycles, self-loops and parallel edges are common.
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
        // Short edges make long paths and redundant edges likely.
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
        let successors = TestLists::of_successors(n_nodes, &edges);
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
        let mut heap = MinHeap::new(&mut slots);
        for &node in &pushed {
            heap.push(node);
        }
        let popped: Vec<_> = std::iter::from_fn(|| heap.pop()).collect();
        let mut expected = pushed;
        expected.sort_unstable();
        prop_assert_eq!(popped, expected);
    }

    #[test]
    fn kahn_agrees_with_a_search_for_the_smallest_ready_node((n_nodes, edges) in any_graph()) {
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
    fn ranked_edges_lead_to_greater_nodes((n_nodes, edges) in ranked_graph(), seed in any::<u64>()) {
        // A renumbered ranked graph is acyclic.
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
            // The cycle without its first step is a shortest path back to its first node.
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
        let graph = TestLists::of_successors(n_nodes, &edges);
        for window in [Window::full(n_nodes), Window { first, n_blocks }] {
            // The initial bits are ones, so the test fails if the result depends on them.
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
    fn the_reduction_agrees_with_brute_force((n_nodes, edges) in ranked_graph()) {
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

/// The least number of edges from one node to another, found by relaxing all edges until nothing changes.
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

/// Checks that the edges of a walk join, and that each is the earliest between its nodes.
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
