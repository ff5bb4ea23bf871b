use super::*;

#[test]
fn graph_without_nodes_is_verified() {
    for graph in [Graph::new(), Graph::default()] {
        assert_eq!(graph.verify().unwrap().order, []);
    }
}

#[test]
fn last_policy_of_a_pair_or_a_resource_counts() {
    let mut graph = Graph::new();
    for _ in 0..2 {
        graph.add_node(&[(7, AccessKind::Write)]);
    }
    graph.pair_policy(0, 1, Policy::AsAdded);
    assert!(graph.verify().is_ok());
    graph.pair_policy(1, 0, Policy::Reject);
    assert_eq!(graph.verify().unwrap_err().races, [(0, 1)]);
    graph.pair_policy(0, 1, Policy::Accepted);
    assert_eq!(graph.verify().unwrap().accepted, [(0, 1)]);

    let mut graph = Graph::default();
    for _ in 0..2 {
        graph.add_node(&[(0, AccessKind::Read), (0, AccessKind::Write)]);
    }
    graph.resource_policy(0, Policy::AsAdded);
    assert_eq!(graph.verify().unwrap().edges, [Edge { from: 0, to: 1 }]);
    graph.resource_policy(0, Policy::Reject);
    assert_eq!(graph.verify().unwrap_err().missing_orders, [(0, 1)]);
}

#[test]
fn only_edges_that_no_others_imply_are_left() {
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
    let refused = graph.verify().unwrap_err();
    assert_eq!(refused.cycles, [[0, 1, 2]]);
    assert_eq!(
        refused.to_string(),
        "1 cycles and 0 races; 0 orders are missing"
    );
}

#[test]
#[should_panic = "node 1 does not exist: there are 1 nodes"]
fn order_of_a_node_that_does_not_exist_is_refused() {
    let mut graph = Graph::new();
    graph.add_node(&[]);
    graph.order(0, 1);
}
