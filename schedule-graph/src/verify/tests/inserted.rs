//! Inserted sync points, compared with the longest chain of pairs.

use proptest::prelude::*;
use proptest::sample::Index;

use super::{Case, cases, closure};
use crate::cases::n_cases;
use crate::graph::edge::Edge;
use crate::verify::{Origin, Verdict, VerifyInput, verify};

/// The edges of the first four phases.
fn first_edges(verdict: &Verdict) -> Vec<(u32, u32)> {
    let edges = verdict.edges.iter().zip(&verdict.origins);
    let is_first = |origin: &Origin| {
        matches!(
            origin,
            Origin::Declared(_) | Origin::Weak(_) | Origin::WritersFirst(_)
        )
    };
    let edges = edges.filter(|(_, origin)| is_first(origin));
    edges.map(|(edge, _)| (edge.from, edge.to)).collect()
}

/// The greatest number of pairs on one path.
fn longest_chain(n_nodes: usize, edges: &[(u32, u32)], pairs: &[(u32, u32)]) -> usize {
    let mut longest = vec![0; n_nodes];
    for _ in 0..=n_nodes {
        for &(from, to) in edges {
            longest[to as usize] = longest[to as usize].max(longest[from as usize]);
        }
        for &(from, to) in pairs {
            longest[to as usize] = longest[to as usize].max(longest[from as usize] + 1);
        }
    }
    longest.into_iter().max().unwrap_or(0)
}

/// Pairs that a declared path joins.
fn pairs(case: &Case, chosen: &[Index]) -> Vec<(u32, u32)> {
    let path = closure(case.n_nodes, &case.declared);
    let all = (0..case.n_nodes).flat_map(|a| (0..case.n_nodes).map(move |b| (a, b)));
    let joined: Vec<(usize, usize)> = all.filter(|&(a, b)| path[a][b]).collect();
    if joined.is_empty() {
        return Vec::new();
    }
    let chosen = chosen.iter().map(|one| joined[one.index(joined.len())]);
    let mut pairs: Vec<(u32, u32)> = chosen.map(|(a, b)| (a as u32, b as u32)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(n_cases(2_000, 5))
    })]

    #[test]
    fn as_few_sync_points_are_inserted_as_the_longest_chain_needs(
        case in cases(),
        chosen in prop::collection::vec(any::<Index>(), 1..6),
    ) {
        let pairs = pairs(&case, &chosen);
        let commands: Vec<Edge> = pairs.iter().map(|&(from, to)| Edge { from, to }).collect();
        let without = case.verify();
        let with = case.with_input(None, |input| {
            let is_idle = vec![false; case.n_nodes];
            verify(&VerifyInput { commands: &commands, is_idle: &is_idle, ..*input })
        });
        let (without, with) = match (without, with) {
            (Ok(without), Ok(with)) => (without, with),
            (Err(without), Err(with)) => {
                prop_assert_eq!(without, with);
                return Ok(());
            }
            other => panic!("{other:?}"),
        };
        prop_assert_eq!(&with.accepted, &without.accepted);
        prop_assert_eq!(&with.free, &without.free);
        let n_needed = longest_chain(case.n_nodes, &first_edges(&without), &pairs);
        prop_assert_eq!(with.inserted.len(), n_needed);
        let n_nodes = case.n_nodes + n_needed;
        prop_assert_eq!(with.order.len(), n_nodes);
        let all: Vec<(u32, u32)> = with.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        let path = closure(n_nodes, &all);
        for (number, inserted) in with.inserted.iter().enumerate() {
            let point = case.n_nodes + number;
            for pair in &inserted.pairs {
                prop_assert!(path[pair.from as usize][point] && path[point][pair.to as usize]);
            }
            for node in (0..n_nodes).filter(|&node| node != point) {
                prop_assert!(path[node][point] != path[point][node], "node {}", node);
            }
            // It stands directly after the last of the nodes that it must come after.
            let place = with.order.iter().position(|&node| node as usize == point).unwrap();
            let last = with.order[place - 1];
            let is_writer = inserted.pairs.iter().any(|pair| pair.from == last);
            prop_assert!(is_writer || last as usize >= case.n_nodes);
        }
        let n_served: usize = with.inserted.iter().map(|one| one.pairs.len()).sum();
        prop_assert_eq!(n_served, pairs.len());
    }
}
