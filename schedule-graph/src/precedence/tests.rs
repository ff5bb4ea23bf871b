//! Paths between given pairs, against a search from each node.

use proptest::prelude::*;

use super::connected;
use crate::graph::edge::Edge;

/// Edges or pairs of a ranked graph: `from < to`.
fn ranked(n_nodes: u32, most: usize) -> impl Strategy<Value = Vec<Edge>> {
    let edge = (1..n_nodes).prop_flat_map(|to| (0..to).prop_map(move |from| Edge { from, to }));
    prop::collection::vec(edge, 0..=most)
}

/// Whether a path of at least one edge leads from `pair.from` to `pair.to`.
fn has_path(edges: &[Edge], pair: Edge) -> bool {
    let mut open = vec![pair.from];
    let mut seen = Vec::new();
    while let Some(node) = open.pop() {
        for edge in edges.iter().filter(|edge| edge.from == node) {
            if edge.to == pair.to {
                return true;
            }
            if !seen.contains(&edge.to) {
                seen.push(edge.to);
                open.push(edge.to);
            }
        }
    }
    false
}

proptest! {
    #[test]
    fn pairs_are_connected_where_a_search_finds_a_path(
        (n_nodes, edges, pairs) in (2_u32..40).prop_flat_map(|n_nodes| {
            (Just(n_nodes), ranked(n_nodes, 60), ranked(n_nodes, 20))
        })
    ) {
        let found = connected(n_nodes as usize, &edges, &pairs);
        let searched: Vec<bool> = pairs.iter().map(|&pair| has_path(&edges, pair)).collect();
        prop_assert_eq!(found, searched);
    }
}

#[test]
fn pairs_of_several_windows_are_connected() {
    const N_NODES: u32 = 5_000;
    let edges: Vec<Edge> = (2..N_NODES).map(|to| Edge { from: to - 2, to }).collect();
    let pairs: Vec<Edge> = (1..N_NODES)
        .step_by(97)
        .flat_map(|to| [0, to / 2, to - 1].map(|from| Edge { from, to }))
        .filter(|pair| pair.from < pair.to)
        .collect();
    let expected: Vec<bool> = pairs
        .iter()
        .map(|pair| (pair.to - pair.from).is_multiple_of(2))
        .collect();
    assert_eq!(connected(N_NODES as usize, &edges, &pairs), expected);
    assert!(expected.contains(&true) && expected.contains(&false));
}

#[test]
fn graph_without_pairs_has_no_answer() {
    assert!(connected(3, &[Edge { from: 0, to: 2 }], &[]).is_empty());
    assert!(connected(0, &[], &[]).is_empty());
}
