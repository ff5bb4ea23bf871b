//! Sweeps that delay other nodes, in the model of run times.

use super::*;

/// A node that depends on node 0 is on the critical path. It would also have to wait for node 2.
#[test]
fn sweep_that_delays_the_critical_path_is_not_made() {
    let case = SweepCase::new(3)
        .others(&[1])
        .edges(&[(0, 1)])
        .cost(1, 1_000_000);
    assert!(case.sweeps().is_empty());
    assert_eq!(case.apart(0, 2), Some(Apart::Delay));
}

#[test]
fn sweep_that_delays_a_node_with_slack_is_made() {
    let case = SweepCase::new(4)
        .others(&[1, 3])
        .edges(&[(0, 1)])
        .cost(1, 10_000)
        .cost(3, 1_000_000);
    assert_eq!(case.sweeps(), [[0, 2]]);
}

/// Node 1 has to wait for node 2 too, and node 2 for node 0, but node 2 alone would delay node 1 as much. With a costly
/// barrier the sweep gains more than it delays.
#[test]
fn sweep_that_gains_more_than_it_delays_is_made() {
    let mut case = SweepCase::new(3)
        .others(&[1])
        .edges(&[(0, 1)])
        .cost(0, 800)
        .cost(1, 1_000)
        .cost(2, 800);
    case.model = SweepModel {
        n_workers: 4,
        barrier_ns: 50,
        cache_percent: 50,
    };
    // The path of 0 and 1 grows from 1,250 ns to 50 + 200 + 1,000 ns.
    assert_eq!(case.sweeps(), [[0, 2]]);
    case.model.cache_percent = 60;
    // Alone, the run takes 1,250 ns: node 1 on one worker, and node 2 on all workers after node 0.
    assert!(case.sweeps().is_empty());
    assert_eq!(case.apart(0, 2), Some(Apart::Delay));
}

/// Node 3 waits for node 0, and node 2 waits for node 1. In a sweep of 0 and 2, node 3 waits for node 1.
#[test]
fn members_wait_for_the_predecessors_of_each_other() {
    let case = SweepCase::new(5)
        .others(&[1, 3, 4])
        .edges(&[(1, 2), (0, 3)])
        .cost(1, 100_000)
        .cost(3, 100_000);
    assert!(case.sweeps().is_empty());
    assert_eq!(case.apart(0, 2), Some(Apart::Delay));
    // While node 4 runs, there is time for both.
    assert_eq!(case.cost(4, 250_000).sweeps(), [[0, 2]]);
}

/// On one worker all nodes run in turn, so no order of them is longer.
#[test]
fn one_worker_has_no_delay() {
    let mut case = SweepCase::new(4)
        .others(&[1, 3])
        .edges(&[(1, 2), (0, 3)])
        .cost(1, 100_000)
        .cost(3, 100_000);
    case.model = SweepModel::new(1);
    assert_eq!(case.sweeps(), [[0, 2]]);
}

/// Each sweep is long because all workers are busy. Without a sweep the nodes would run one after the other.
#[test]
fn per_entity_nodes_without_order_run_in_turn_in_the_model() {
    let mut case = SweepCase::new(4)
        .others(&[2, 3])
        .edges(&[(0, 2), (1, 3)])
        .cost(0, 160_000)
        .cost(1, 160_000)
        .cost(2, 10_000)
        .cost(3, 10_000);
    case.model.n_workers = 16;
    assert_eq!(case.sweeps(), [[0, 1]]);
}

/// The sweep of 0 and 1 is the longest path, because the nodes would also run in turn without it. So the sweep of 4 and 6
/// has the time to delay node 5.
#[test]
fn later_sweep_may_use_the_time_of_an_earlier_one() {
    let mut case = SweepCase::new(7)
        .others(&[2, 3, 5])
        .node(4, |node| node.store = 1)
        .node(6, |node| node.store = 1)
        .edges(&[(0, 2), (1, 3), (4, 5)])
        .cost(0, 160_000)
        .cost(1, 160_000)
        .cost(2, 10_000)
        .cost(3, 10_000)
        .cost(4, 16_000)
        .cost(5, 23_800)
        .cost(6, 16_000);
    case.model = SweepModel {
        n_workers: 16,
        barrier_ns: 0,
        cache_percent: 80,
    };
    assert_eq!(case.sweeps(), [[0, 1], [4, 6]]);
    let case = case.node(1, |node| node.is_sweepable = false);
    assert!(case.sweeps().is_empty());
}
