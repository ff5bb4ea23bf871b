//! `Local`: state of a node.

use std::sync::Arc;

use schedule::prelude::*;
use schedule::run_one;

use crate::{failures, insertion_order, schedule_of};

#[derive(Debug, Default, PartialEq, Resource)]
struct Counts(Vec<u32>);

#[system]
fn count(mut n_runs: Local<u32>, counts: &mut Counts) {
    *n_runs += 1;
    counts.0.push(*n_runs);
}

#[system]
fn count_twice(mut first: Local<u32>, (mut second, counts): (Local<u32>, &mut Counts)) {
    *first += 1;
    *second += 10;
    counts.0.push(*first + *second);
}

#[derive(Default)]
struct Guard(Option<Arc<()>>);

#[system]
fn hold(mut guard: Local<Guard>, shared: &Shared) {
    guard.0 = Some(shared.0.clone());
}

#[derive(Resource)]
struct Shared(Arc<()>);

struct Unmakeable;

impl Default for Unmakeable {
    fn default() -> Self {
        panic!("no default")
    }
}

#[system]
fn need(_: Local<Unmakeable>) {}

#[test]
fn a_local_is_kept_from_run_to_run() {
    let mut resources = Resources::new();
    resources.insert(Counts::default());
    let mut schedule = schedule_of(|all| all.add::<count>());
    for _ in 0..3 {
        schedule.run(&mut resources).unwrap();
    }
    assert_eq!(resources.get(), Some(&Counts(vec![1, 2, 3])));
}

#[test]
fn system_added_twice_has_two_locals() {
    let mut resources = Resources::new();
    resources.insert(Counts::default());
    let mut schedule = insertion_order(|all| all.add::<count>().add::<count>());
    schedule.run(&mut resources).unwrap();
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Counts(vec![1, 1, 2, 2])));
}

#[test]
fn two_schedules_have_two_locals() {
    let mut resources = Resources::new();
    resources.insert(Counts::default());
    let mut one = schedule_of(|all| all.add::<count>());
    let mut other = schedule_of(|all| all.add::<count>());
    one.run(&mut resources).unwrap();
    other.run(&mut resources).unwrap();
    run_one::<count>(&mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Counts(vec![1, 1, 1])));
}

#[test]
fn two_locals_of_one_type_are_separate() {
    let mut resources = Resources::new();
    resources.insert(Counts::default());
    let mut schedule = schedule_of(|all| all.add::<count_twice>());
    schedule.run(&mut resources).unwrap();
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Counts(vec![11, 22])));
}

#[test]
fn a_local_is_dropped_with_its_schedule() {
    let shared = Arc::new(());
    let mut resources = Resources::new();
    resources.insert(Shared(shared.clone()));
    let mut schedule = schedule_of(|all| all.add::<hold>().add::<hold>());
    schedule.run(&mut resources).unwrap();
    schedule.run(&mut resources).unwrap();
    assert_eq!(Arc::strong_count(&shared), 4);
    drop(schedule);
    assert_eq!(Arc::strong_count(&shared), 2);
}

#[test]
fn a_local_whose_default_panics_fails_its_system() {
    let mut schedule = schedule_of(|all| all.add::<need>());
    for _ in 0..2 {
        let result = schedule.run(&mut Resources::new());
        assert_eq!(failures(result), ["need: panicked: no default"]);
    }
}
