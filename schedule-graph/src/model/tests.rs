use crate::cases::n_cases;
use proptest::prelude::*;

use super::*;

#[test]
fn graph_without_nodes_is_verified() {
    for graph in [Graph::new(), Graph::default()] {
        assert_eq!(graph.verify().unwrap().order, []);
    }
}

#[test]
fn last_policy_of_a_pair_or_resource_applies() {
    let mut graph = Graph::new();
    for _ in 0..2 {
        graph.add_node(&[(7, AccessKind::Write)]);
    }
    graph.pair_policy(0, 1, Policy::InsertionOrder);
    assert!(graph.verify().is_ok());
    graph.pair_policy(1, 0, Policy::Reject);
    assert_eq!(graph.verify().unwrap_err().races, [(0, 1)]);
    graph.pair_policy(0, 1, Policy::Accepted);
    assert_eq!(graph.verify().unwrap().accepted, [(0, 1)]);

    let mut graph = Graph::default();
    for _ in 0..2 {
        graph.add_node(&[(0, AccessKind::Read), (0, AccessKind::Write)]);
    }
    graph.resource_policy(0, Policy::InsertionOrder);
    assert_eq!(graph.verify().unwrap().edges, [Edge { from: 0, to: 1 }]);
    graph.resource_policy(0, Policy::Reject);
    assert_eq!(graph.verify().unwrap_err().missing_orders, [(0, 1)]);
}

#[test]
fn redundant_edges_are_left_out() {
    let mut graph = Graph::new();
    for _ in 0..3 {
        graph.add_node(&[(0, AccessKind::Write)]);
    }
    graph.order(2, 0).order(2, 1).order(0, 1).order(0, 1);
    let verified = graph.verify().unwrap();
    assert_eq!(verified.order, [2, 0, 1]);
    let edge = |from, to| Edge { from, to };
    assert_eq!(verified.edges, [edge(0, 1), edge(2, 0)]);
}

#[test]
fn cycles_are_shown_as_nodes() {
    let mut graph = Graph::new();
    for _ in 0..3 {
        graph.add_node(&[]);
    }
    graph.order(0, 1).order(1, 2).weak_order(2, 0);
    let error = graph.verify().unwrap_err();
    assert_eq!(error.cycles, [[0, 1, 2]]);
    assert_eq!(
        error.to_string(),
        "1 cycles and 0 races; 0 orders are missing"
    );
}

#[test]
#[should_panic = "node 1 does not exist: there are 1 nodes"]
fn order_of_a_missing_node_is_an_error() {
    let mut graph = Graph::new();
    graph.add_node(&[]);
    graph.order(0, 1);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: n_cases(1000, 8),
        // Miri has no files.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn nodes_race_unless_their_filters_are_disjoint(
        nodes in prop::collection::vec((0..2_u32, any::<bool>(), 0..200_u16), 0..10),
        disjoint in prop::collection::vec((1..200_u16, 1..200_u16), 0..4),
    ) {
        let mut graph = Graph::new();
        for &(resource, is_write, signature) in &nodes {
            graph.add_filtered_node(&[(resource, AccessKind::of_write(is_write), signature)]);
        }
        // Uses signatures of nodes, because random signatures would hardly occur.
        let signatures: Vec<u16> = nodes.iter().map(|node| node.2).filter(|&signature| signature != 0).collect();
        let met = |at: u16| signatures.get(usize::from(at)).copied().unwrap_or(at);
        let disjoint: Vec<(u16, u16)> = disjoint.iter().map(|&(a, b)| (met(a % 10 + 1), met(b % 10 + 1))).collect();
        for &(a, b) in &disjoint {
            graph.disjoint(a, b);
        }
        let mut races = Vec::new();
        for (then, b) in (0..).zip(&nodes) {
            for (first, a) in (0..then).zip(&nodes) {
                let is_exempt = disjoint.contains(&(a.2, b.2)) || disjoint.contains(&(b.2, a.2));
                if a.0 == b.0 && (a.1 || b.1) && !is_exempt {
                    races.push((first, then));
                }
            }
        }
        races.sort_unstable();
        let found = graph.verify().map_or_else(|error| error.races, |_| Vec::new());
        prop_assert_eq!(found, races.clone());
        let verified = graph.policy(Policy::InsertionOrder).verify().unwrap();
        for edge in &verified.edges {
            prop_assert!(races.contains(&(edge.from, edge.to)));
        }
    }
}

#[test]
#[should_panic = "signature 0 stands for no filter"]
fn uses_without_a_filter_are_disjoint_with_none() {
    Graph::new().disjoint(1, 0);
}
