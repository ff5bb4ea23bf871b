use core::time::Duration;

use super::{Average, Cost, Costs};

fn learn(costs: &mut Costs, ns: u64) {
    learn_all(costs, [ns]);
}

/// Learns the time of each node, with one execution each.
fn learn_all<const N: usize>(costs: &mut Costs, ns: [u64; N]) {
    costs.learn(ns.into_iter().map(|ns| (Duration::from_nanos(ns), 1)));
}

#[test]
fn first_measurement_sets_the_cost() {
    let mut costs = Costs::default();
    assert!(!costs.is_known());
    learn_all(&mut costs, [100, 60]);
    assert_eq!(costs.iter().collect::<Vec<_>>(), [100, 60]);
    assert_eq!(costs.work(), 160);
}

#[test]
fn disabled_node_costs_nothing_and_keeps_its_measured_cost() {
    let mut costs = Costs::of([100, 60].map(|ns| Cost::known(ns, 1_000)).into_iter());
    costs.switch([true, false].into_iter());
    for _ in 0..8 {
        learn_all(&mut costs, [100, 0]);
    }
    assert_eq!(costs.iter().collect::<Vec<_>>(), [100, 0]);
    assert_eq!(
        costs.of_all().map(|cost| cost.ns()).collect::<Vec<_>>(),
        [100, 60]
    );
    assert_eq!(costs.work(), 100);
    costs.switch([true, true].into_iter());
    assert_eq!(costs.iter().collect::<Vec<_>>(), [100, 60]);
    assert_eq!(costs.work(), 160);
}

#[test]
fn one_interruption_does_not_change_the_cost() {
    let mut costs = Costs::default();
    for ns in [1_000, 1_000, 4_000_000, 1_000, 1_000] {
        learn(&mut costs, ns);
        assert_eq!(costs.work(), 1_000);
    }
}

#[test]
fn cost_follows_a_sudden_change() {
    let mut costs = Costs::default();
    learn(&mut costs, 1_000);
    for _ in 0..8 {
        learn(&mut costs, 100_000);
    }
    assert!(costs.work() > 98_000, "{}", costs.work());
    for _ in 0..24 {
        learn(&mut costs, 10);
    }
    assert_eq!(costs.work(), 10);
}

#[test]
fn cost_of_a_node_that_runs_in_some_runs_is_the_mean() {
    for period in [2, 3, 4] {
        let mut costs = Costs::default();
        for nth in 0..240 {
            let is_due = u32::from(nth % period == 0);
            costs.learn([(Duration::from_nanos(1_200) * is_due, is_due)].into_iter());
            let off = costs.work() as f64 / f64::from(1_200 / period);
            assert!(nth < 60 || (0.9..1.1).contains(&off), "{period}: {off}");
        }
    }
}

#[test]
fn slowdown_is_that_of_systems_without_how_often_they_run() {
    let mut costs = Costs::default();
    for is_due in [1, 0, 1] {
        let took = Duration::from_nanos(1_000) * is_due;
        assert_eq!(costs.learn([(took, is_due)].into_iter()), 1.0);
    }
    let mut costs = Costs::default();
    learn(&mut costs, 1_000);
    assert_eq!(
        costs.learn([(Duration::from_nanos(4_000), 1)].into_iter()),
        1.0
    );
    assert_eq!(
        costs.learn([(Duration::from_nanos(4_000), 1)].into_iter()),
        4.0
    );
}

#[test]
fn more_than_four_seconds_are_counted_as_four() {
    let mut costs = Costs::default();
    costs.learn([(Duration::from_secs(60), 1)].into_iter());
    assert_eq!(costs.work(), u64::from(u32::MAX));
}

/// The average over runs with these nanoseconds and executions: nanoseconds per run, and executions in 1,000 runs.
fn average(runs: impl IntoIterator<Item = (u32, u32)>) -> (u32, u32) {
    let mut average = Average::default();
    for (ns, n_executions) in runs {
        average.learn(ns, n_executions);
    }
    (average.ns(), average.runs_per_1000())
}

#[test]
fn average_weighs_a_node_by_how_often_it_runs() {
    assert_eq!(average([]), (0, 0));
    assert_eq!(average([(0, 0)]), (0, 0));
    // In the first of two runs, in the last, and in every tenth.
    assert_eq!(average([(900, 1), (0, 0)]), (450, 500));
    assert_eq!(average([(0, 0), (0, 0), (900, 1)]), (300, 333));
    let every_tenth = (0..200).map(|nth| if nth % 10 == 3 { (900, 1) } else { (0, 0) });
    assert_eq!(average(every_tenth), (90, 100));
    // Several times a run, with different counts.
    assert_eq!(average([(900, 3), (900, 3), (900, 3)]), (900, 3_000));
    assert_eq!(
        average([(300, 1), (600, 2), (0, 0), (900, 3)]),
        (450, 1_500)
    );
    // The longest measurement is ignored.
    assert_eq!(
        average([(100, 1), (100, 1), (90_000, 1), (100, 1)]),
        (100, 1_000)
    );
}

#[test]
fn average_follows_a_node_that_became_cheaper_and_rarer() {
    let before = (0..10_000).map(|_| (1_000, 1));
    let after = (0..2_000).map(|_| (0, 0));
    let (ns, runs_per_1000) = average(before.chain(after));
    assert!(ns < 10 && runs_per_1000 < 10, "{ns} {runs_per_1000}");
}

#[test]
fn known_cost_is_returned_unchanged() {
    for ns in [0, 1, 7, 1_000, 123_456_789, u32::MAX] {
        for runs_per_1000 in [1, 333, 1_000, 2_500, 1_000_000] {
            let average = Cost::known(ns, runs_per_1000).average();
            assert_eq!((average.ns(), average.runs_per_1000()), (ns, runs_per_1000));
        }
    }
    let never = Cost::known(0, 0).average();
    assert_eq!((never.ns(), never.runs_per_1000()), (0, 0));
}
