//! Each rule in a case made by hand. The explanation names the rule and its witnesses.

use super::*;

const READ: AccessKind = AccessKind::Read;
const WRITE: AccessKind = AccessKind::Write;
const FOLD: AccessKind = AccessKind::Fold;

#[test]
fn independent_nodes_and_chains_share_one_sweep() {
    assert_eq!(SweepCase::new(3).sweeps(), [[0, 1, 2]]);
    let chain = SweepCase::new(3).edges(&[(0, 1), (1, 2), (0, 2)]);
    assert_eq!(chain.sweeps(), [[0, 1, 2]]);
    assert_eq!(chain.apart(0, 2), None);
    assert_eq!(chain.apart(1, 1), None);
}

#[test]
fn single_node_shares_no_sweep() {
    let case = SweepCase::new(2).others(&[1]);
    assert!(case.sweeps().is_empty());
    case.with(|input| {
        let sweeps = Sweeps::new(input);
        assert_eq!((sweeps.n_sweeps(), sweeps.of(0)), (0, None));
    });
    assert!(SweepCase::new(0).sweeps().is_empty());
    assert_eq!(SweepCase::new(0).contracted().n_nodes(), 0);
}

#[test]
fn sweeps_have_one_store() {
    let case = SweepCase::new(4)
        .node(1, |node| node.store = 1)
        .node(3, |node| node.store = 1);
    assert_eq!(case.sweeps(), [[0, 2], [1, 3]]);
    assert_eq!(case.apart(0, 1), Some(Apart::Store));
}

/// Node 0, a loop (1, 4) of nodes 2 and 3, node 5.
#[test]
fn sweeps_have_one_level() {
    let mut case =
        SweepCase::new(6)
            .others(&[1, 4])
            .edges(&[(1, 2), (1, 3), (1, 4), (2, 4), (3, 4)]);
    case.around = vec![NO_LOOP, NO_LOOP, 0, 0, NO_LOOP, NO_LOOP];
    assert_eq!(case.sweeps(), [[0, 5], [2, 3]]);
    assert_eq!(case.apart(0, 2), Some(Apart::Level));
    let contracted = case.contracted();
    let members: Vec<&[u32]> = (0..4).map(|number| contracted.members(number)).collect();
    assert_eq!(members, [&[0, 5][..], &[1], &[2, 3], &[4]]);
}

#[test]
fn node_that_is_turned_off_shares_no_sweep() {
    let case = SweepCase::new(3).node(1, |node| node.is_sweepable = false);
    assert_eq!(case.sweeps(), [[0, 2]]);
    assert_eq!(case.apart(0, 1), Some(Apart::TurnedOff { node: 1 }));
}

#[test]
fn conflict_on_components_of_the_entity_at_hand_permits_a_sweep() {
    let case = SweepCase::new(3)
        .own(0, 0, WRITE)
        .own(1, 0, READ)
        .own(2, 0, WRITE)
        .edges(&[(0, 1), (1, 2)]);
    assert_eq!(case.sweeps(), [[0, 1, 2]]);
}

/// Node 1 reads a component of other entities by a query, and so does node 2.
#[test]
fn conflict_on_components_of_other_entities_keeps_apart() {
    let case = SweepCase::new(3)
        .own(0, 7, WRITE)
        .other(1, 7, READ)
        .other(2, 7, READ)
        .edges(&[(0, 1), (0, 2)]);
    assert_eq!(case.sweeps(), [[1, 2]]);
    let conflict = |nodes| Apart::Conflict { nodes, resource: 7 };
    assert_eq!(case.apart(0, 2), Some(conflict([0, 2])));
}

/// Node 0 uses the component both of the entity at hand and of other entities.
#[test]
fn each_use_of_a_resource_counts() {
    let case = SweepCase::new(2)
        .own(0, 0, WRITE)
        .other(0, 0, READ)
        .own(1, 0, READ);
    assert_eq!(case.sweeps(), [[0, 1]], "two reads, and two own rows");
    let case = case.own(1, 0, WRITE);
    assert!(case.sweeps().is_empty());
}

#[test]
fn disjoint_filters_permit_a_sweep() {
    let case = |signature| {
        let access = |kind, signature| Use {
            resource: 0,
            kind,
            signature,
        };
        SweepCase::new(2)
            .uses(0, access(WRITE, 1), true)
            .uses(1, access(READ, signature), false)
    };
    assert_eq!(case(2).sweeps(), [[0, 1]]);
    assert!(case(1).sweeps().is_empty());
    assert!(case(0).sweeps().is_empty(), "no filter");
}

/// Nodes 0 and 1 share a sweep and read the same component with different filters. Only that of node 0 is disjoint with that
/// of node 2.
#[test]
fn filters_of_all_members_count() {
    let access = |kind, signature| Use {
        resource: 0,
        kind,
        signature,
    };
    let case = SweepCase::new(3)
        .uses(0, access(READ, 1), false)
        .uses(1, access(READ, 3), false)
        .uses(2, access(WRITE, 2), true);
    assert_eq!(case.sweeps(), [[0, 1]]);
}

#[test]
fn folds_keep_apart_from_all_kinds_but_folds() {
    let case = |kind| SweepCase::new(2).other(0, 0, FOLD).other(1, 0, kind);
    assert_eq!(case(FOLD).sweeps(), [[0, 1]]);
    assert!(case(READ).sweeps().is_empty());
    assert!(case(WRITE).sweeps().is_empty());
}

/// Node 0 may share a sweep with node 2, but not with node 1, which shares a sweep with node 2.
#[test]
fn conflict_with_one_member_keeps_apart_from_all() {
    let case = SweepCase::new(3).other(0, 3, FOLD).other(1, 3, READ);
    assert_eq!(case.sweeps(), [[1, 2]]);
    let conflict = Apart::Conflict {
        nodes: [0, 1],
        resource: 3,
    };
    assert_eq!(case.apart(0, 2), Some(conflict));
}

#[test]
fn node_between_two_members_keeps_them_apart() {
    let case = SweepCase::new(4)
        .others(&[1, 2])
        .edges(&[(0, 1), (1, 2), (2, 3)]);
    assert!(case.sweeps().is_empty());
    let path = Apart::Path {
        from: 0,
        via: 2,
        to: 3,
    };
    assert_eq!(case.apart(0, 3), Some(path));
}

/// Node 1 is a per-entity node, but of another store.
#[test]
fn per_entity_node_between_two_members_keeps_them_apart() {
    let case = SweepCase::new(3)
        .node(1, |node| node.store = 1)
        .edges(&[(0, 1), (1, 2)]);
    assert!(case.sweeps().is_empty());
    let path = Apart::Path {
        from: 0,
        via: 1,
        to: 2,
    };
    assert_eq!(case.apart(0, 2), Some(path));
}

/// {0, 3} and {1, 2} are legal alone. Together 0 is before 2, and 1 is before 3.
#[test]
fn two_sweeps_that_wait_for_each_other_are_a_cycle() {
    let case = SweepCase::new(4)
        .node(1, |node| node.store = 1)
        .node(2, |node| node.store = 1)
        .edges(&[(0, 2), (1, 3)]);
    assert_eq!(case.sweeps(), [[1, 2]]);
    assert_eq!(case.apart(0, 3), Some(Apart::Cycle { sweep: 0 }));
    let other = case.clone().node(2, |node| node.is_sweepable = false);
    assert_eq!(other.sweeps(), [[0, 3]]);
}

/// The cycle leads through a sweep and a node without a sweep: 0 -> {1, 2} -> 3 -> 4.
#[test]
fn cycle_through_several_nodes_is_found() {
    let case = SweepCase::new(5)
        .others(&[3])
        .node(1, |node| node.store = 1)
        .node(2, |node| node.store = 1)
        .edges(&[(0, 2), (1, 3), (3, 4)]);
    assert_eq!(case.sweeps(), [[1, 2]]);
    assert_eq!(case.apart(0, 4), Some(Apart::Cycle { sweep: 0 }));
}

#[test]
fn node_that_a_failure_skips_shares_no_sweep_with_the_failing_node() {
    let case = SweepCase::new(3)
        .dependents(&[(0, 1), (1, 2)])
        .edges(&[(0, 2)]);
    assert_eq!(case.sweeps(), [[0, 1, 2]]);
    let failing = case.node(0, |node| node.can_fail = true);
    assert_eq!(failing.sweeps(), [[1, 2]]);
    let failure = Apart::Failure {
        failing: 0,
        skipped: 1,
    };
    assert_eq!(failing.apart(0, 2), Some(failure));
    let last = SweepCase::new(2)
        .dependents(&[(0, 1)])
        .node(1, |node| node.can_fail = true);
    assert_eq!(last.sweeps(), [[0, 1]], "the last node skips no member");
    let ordered = SweepCase::new(2)
        .edges(&[(0, 1)])
        .node(0, |node| node.can_fail = true);
    assert_eq!(ordered.sweeps(), [[0, 1]], "the edge skips no node");
}

/// Nodes 0 and 1 conflict. Node 2 may join either, and joins node 1.
#[test]
fn node_joins_the_nearest_sweep() {
    let case = SweepCase::new(3).other(0, 0, FOLD).other(1, 0, READ);
    assert_eq!(case.sweeps(), [[1, 2]]);
    // Node 2 conflicts with node 1 and joins node 0. So this is the nearest sweep for node 3.
    let case = SweepCase::new(4)
        .other(0, 0, FOLD)
        .other(1, 0, READ)
        .other(2, 0, FOLD);
    assert_eq!(case.sweeps(), [[0, 2, 3]]);
}

#[test]
#[should_panic = "both nodes must be per-entity nodes"]
fn only_per_entity_nodes_have_a_reason() {
    let _ = SweepCase::new(2).others(&[1]).apart(0, 1);
}

#[test]
#[should_panic = "the model must have a worker"]
fn model_without_workers_panics() {
    let mut case = SweepCase::new(2);
    case.model.n_workers = 0;
    let _ = case.sweeps();
}

#[test]
#[should_panic = "ranks must come from a topological order"]
fn edge_to_a_smaller_rank_panics() {
    let _ = SweepCase::new(2).edges(&[(1, 0)]).sweeps();
}

#[test]
#[should_panic = "must be of the same input"]
fn edges_of_another_input_panic() {
    let other = SweepCase::new(3).others(&[1]).edges(&[(0, 1), (1, 2)]);
    let case = SweepCase::new(3).others(&[1]);
    case.with(|input| Sweeps::new(input).contract(&other.edges));
}
