//! Repeated runs of one schedule: with the same resources, with others, and on other threads.

use schedule::prelude::*;
use schedule::{Builder, run_one};

use crate::{insertion_order, schedule_of};

const N_RUNS: u32 = if cfg!(miri) { 6 } else { 10_000 };

#[derive(Debug, Default, PartialEq, Resource)]
struct Steps(u32);

#[derive(Default, Resource)]
struct Mark;

#[system]
fn step(steps: &mut Steps, mut n_steps: Local<u32>) {
    *n_steps += 1;
    steps.0 += 1;
}

#[system]
fn blink(mark: Option<&Mark>, mut commands: Commands) {
    match mark {
        Some(_) => commands.remove::<Mark>(),
        None => commands.insert(Mark),
    };
}

#[system]
fn fail_sometimes(steps: &Steps) -> Result<(), String> {
    if steps.0.is_multiple_of(1000) {
        Err(steps.0.to_string())
    } else {
        Ok(())
    }
}

fn steps() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Steps(0));
    resources
}

#[test]
fn a_schedule_runs_ten_thousand_times() {
    let mut resources = steps();
    let mut schedule =
        insertion_order(|all| all.add::<step>().add::<blink>().add::<fail_sometimes>());
    let mut n_failures = 0;
    for _ in 0..N_RUNS {
        n_failures += u32::from(schedule.run(&mut resources).is_err());
    }
    assert_eq!(resources.get(), Some(&Steps(N_RUNS)));
    assert_eq!(n_failures, N_RUNS / 1000);
    assert_eq!(resources.len(), 1, "the mark came and went");
}

#[test]
fn schedule_runs_with_other_resources_and_the_first_again() {
    let mut schedule = schedule_of(|all| all.add::<step>());
    let (mut one, mut other) = (steps(), steps());
    schedule.run(&mut one).unwrap();
    schedule.run(&mut other).unwrap();
    schedule.run(&mut one).unwrap();
    assert_eq!((one.get(), other.get()), (Some(&Steps(2)), Some(&Steps(1))));
    assert!(schedule.run(&mut Resources::new()).is_err());
    drop(other);
    schedule.run(&mut one).unwrap();
    schedule.run(&mut steps()).unwrap();
    assert_eq!(one.get(), Some(&Steps(3)));
}

#[test]
fn resources_may_move_between_runs() {
    let mut schedule = schedule_of(|all| all.add::<step>());
    let mut resources = steps();
    schedule.run(&mut resources).unwrap();
    let mut moved = Box::new(resources);
    schedule.run(&mut moved).unwrap();
    let mut list = [*moved, steps()];
    schedule.run(&mut list[0]).unwrap();
    assert_eq!(list[0].get(), Some(&Steps(3)));
}

#[test]
fn a_resource_may_be_replaced_between_runs() {
    let mut schedule = schedule_of(|all| all.add::<step>());
    let mut resources = steps();
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.insert(Steps(10)), Some(Steps(1)));
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.remove(), Some(Steps(11)));
    resources.insert(Steps(20));
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Steps(21)));
}

#[test]
fn schedules_and_resources_can_be_sent() {
    fn is_send<T: Send>() {}
    fn is_sync<T: Sync>() {}
    is_send::<Schedule>();
    is_send::<Builder>();
    is_send::<Resources>();
    is_sync::<Resources>();
    is_send::<Commands<'static>>();
}

#[test]
fn a_schedule_runs_on_any_thread() {
    let mut schedule = schedule_of(|all| all.add::<step>());
    let mut resources = steps();
    schedule.run(&mut resources).unwrap();
    let (mut schedule, mut resources) = std::thread::spawn(move || {
        schedule.run(&mut resources).unwrap();
        (schedule, resources)
    })
    .join()
    .unwrap();
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Steps(3)));
    run_one::<step>(&mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Steps(4)));
}
