use core::time::Duration;

use super::Costs;

fn learn(costs: &mut Costs, ns: u64) {
    costs.learn([Duration::from_nanos(ns)].into_iter());
}

#[test]
fn the_first_measurement_counts() {
    let mut costs = Costs::default();
    assert!(!costs.is_known());
    costs.learn([100, 60].map(Duration::from_nanos).into_iter());
    assert_eq!(costs.iter().collect::<Vec<_>>(), [100, 60]);
    assert_eq!(costs.work(), 160);
}

#[test]
fn what_is_off_costs_nothing_and_what_it_costs_is_kept() {
    let mut costs = Costs::known([100, 60].into_iter());
    costs.switch([true, false].into_iter());
    for _ in 0..8 {
        costs.learn([100, 0].map(Duration::from_nanos).into_iter());
    }
    assert_eq!(costs.iter().collect::<Vec<_>>(), [100, 0]);
    assert_eq!(costs.of_all().collect::<Vec<_>>(), [100, 60]);
    assert_eq!(costs.work(), 100);
    costs.switch([true, true].into_iter());
    assert_eq!(costs.iter().collect::<Vec<_>>(), [100, 60]);
    assert_eq!(costs.work(), 160);
}

#[test]
fn one_interruption_changes_nothing() {
    let mut costs = Costs::default();
    for ns in [1_000, 1_000, 4_000_000, 1_000, 1_000] {
        learn(&mut costs, ns);
        assert_eq!(costs.work(), 1_000);
    }
}

#[test]
fn a_jump_is_followed() {
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
fn more_than_four_seconds_are_counted_as_four() {
    let mut costs = Costs::default();
    costs.learn([Duration::from_secs(60)].into_iter());
    assert_eq!(costs.work(), u64::from(u32::MAX));
}
