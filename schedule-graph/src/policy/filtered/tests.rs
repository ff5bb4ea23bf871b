use crate::cases::n_cases;
use proptest::prelude::*;

use super::*;
use crate::conflict::{Disjoint, Filters, Use};

/// The edges along the order of nodes, and the uses. `disjoint`: pairs of signatures from 1 to 4.
fn with<T>(
    nodes: &[Vec<Use>],
    disjoint: &[(u16, u16)],
    look: impl FnOnce(Uses<'_>, Vec<(u32, u32, u32)>) -> T,
) -> T {
    let list = nodes.concat();
    let mut starts = vec![0];
    for node in nodes {
        starts.push(starts[starts.len() - 1] + node.len() as u32);
    }
    let mut bits = vec![0; Disjoint::n_blocks(5)];
    for &(a, b) in disjoint {
        Disjoint::set(&mut bits, 5, a, b);
    }
    let filtered = Filters::list(&list);
    let filters = Filters::new(Disjoint::new(5, &bits), 3, &filtered);
    let uses = Uses::new(&starts, &list).with_filters(filters);
    let order: Vec<u32> = (0..nodes.len() as u32).collect();
    let edges = crate::policy::insertion_order(uses, 3, &order)
        .map(|(edge, resource)| (edge.from, edge.to, resource));
    look(uses, edges.collect())
}

fn nodes() -> impl Strategy<Value = Vec<Vec<Use>>> {
    let kinds = prop::sample::select(&AccessKind::ALL[..]);
    let uses = prop::collection::btree_map(0..3_u32, (kinds, 0..5_u16), 0..3);
    let uses = uses.prop_map(|uses| {
        let uses = uses.into_iter().map(|(resource, (kind, signature))| Use {
            resource,
            kind,
            signature,
        });
        uses.collect::<Vec<_>>()
    });
    prop::collection::vec(uses, 0..if cfg!(miri) { 4 } else { 16 })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: n_cases(3000, 8),
        // Miri has no files.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_conflicting_pair_is_ordered_and_every_edge_joins_one(
        nodes in nodes(),
        disjoint in prop::collection::vec((1..5_u16, 1..5_u16), 0..6),
    ) {
        with(&nodes, &disjoint, |uses, edges| {
            let n_nodes = nodes.len();
            let mut path = vec![vec![false; n_nodes]; n_nodes];
            for &(from, to, resource) in &edges {
                prop_assert!(from < to);
                prop_assert!(!path[from as usize][to as usize], "{} -> {} twice", from, to);
                path[from as usize][to as usize] = true;
                let mut shared = uses.shared(from, to);
                let mut conflicts = core::iter::from_fn(|| shared.next());
                prop_assert!(conflicts.any(|one| one.resource == resource));
            }
            for middle in 0..n_nodes {
                for from in 0..middle {
                    for to in middle + 1..n_nodes {
                        path[from][to] |= path[from][middle] && path[middle][to];
                    }
                }
            }
            for to in 0..n_nodes as u32 {
                for from in 0..to {
                    if uses.shared(from, to).next().is_some() {
                        prop_assert!(path[from as usize][to as usize], "{} and {}", from, to);
                    }
                }
            }
            Ok(())
        })?;
    }
}

/// Nodes that write resource 0, by signature.
fn writers(signatures: &[u16]) -> Vec<Vec<Use>> {
    let writer = |&signature| {
        vec![Use {
            resource: 0,
            kind: AccessKind::Write,
            signature,
        }]
    };
    signatures.iter().map(writer).collect()
}

#[test]
fn writers_with_disjoint_filters_are_in_two_chains() {
    with(&writers(&[1, 2, 1, 2]), &[(1, 2)], |_, edges| {
        assert_eq!(edges, [(0, 2, 0), (1, 3, 0)]);
    });
}

#[test]
fn no_node_passes_a_writer_without_a_filter() {
    with(&writers(&[1, 2, 0, 1, 2]), &[(1, 2)], |_, edges| {
        assert_eq!(edges, [(0, 2, 0), (1, 2, 0), (2, 3, 0), (2, 4, 0)]);
    });
}
