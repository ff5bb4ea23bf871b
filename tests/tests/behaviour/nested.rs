//! A run inside a run.

use std::sync::Mutex;

use schedule::prelude::*;
use schedule::{RunError, run_one};

use crate::{Log, failures, insertion_order, schedule_of, take_log, with_log};

#[derive(Resource)]
struct Gold(u32);

#[derive(Default)]
struct Inner(Option<Schedule>);

#[system]
fn outer(resources: &mut Resources, mut inner: Local<Inner>) -> Result<(), RunError> {
    let inner = inner
        .0
        .get_or_insert_with(|| schedule_of(|all| all.add::<say>().add::<mint>()));
    inner.run(resources)?;
    inner.run(resources)
}

#[system]
fn say(log: &mut Log) {
    log.push("inner");
}

#[system]
fn mint(mut commands: Commands<Inserts<Gold>>) {
    commands.insert(Gold(1));
}

#[system]
fn spend(gold: Option<&mut Gold>, log: &mut Log) {
    if let Some(gold) = gold {
        gold.0 -= 1;
        log.push("spent");
    }
}

#[system]
fn melt(resources: &mut Resources) {
    resources.remove::<Gold>();
}

#[derive(Resource)]
struct World {
    resources: Resources,
    schedule: Mutex<Schedule>,
}

#[system]
fn run_the_world_inside(world: &mut World, log: &mut Log) -> Result<(), RunError> {
    log.push("outer");
    let schedule = world.schedule.get_mut().unwrap();
    schedule.run(&mut world.resources)
}

#[system]
fn deeper(resources: &mut Resources, mut depth: Local<u32>) -> Result<(), RunError> {
    *depth += 1;
    assert_eq!(*depth, 1, "an inner node has its own state");
    let log = resources.get_mut::<Log>().unwrap();
    log.push("deeper");
    if log.len() < 5 {
        run_one::<deeper>(resources)
    } else {
        Ok(())
    }
}

#[system]
fn fail_inside(resources: &mut Resources) -> Result<(), RunError> {
    schedule_of(|all| all.add::<panic>().add::<say>()).run(resources)
}

#[system]
fn panic() {
    panic!("inside");
}

#[test]
fn an_exclusive_system_may_run_a_schedule_on_the_same_resources() {
    let mut resources = with_log();
    let mut schedule = insertion_order(|all| {
        all.add::<spend>()
            .add::<outer>()
            .add::<spend>()
            .add::<melt>()
            .add::<spend>()
    });
    for _ in 0..2 {
        schedule.run(&mut resources).unwrap();
        assert_eq!(take_log(&mut resources), ["inner", "inner", "spent"]);
    }
}

#[test]
fn system_may_run_a_schedule_on_separate_resources() {
    let mut resources = with_log();
    resources.insert(World {
        resources: with_log(),
        schedule: Mutex::new(schedule_of(|all| all.add::<say>())),
    });
    let mut schedule = schedule_of(|all| all.add::<run_the_world_inside>());
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["outer"]);
    let world = resources.get_mut::<World>().unwrap();
    assert_eq!(take_log(&mut world.resources), ["inner"]);
}

#[test]
fn a_system_may_run_itself() {
    let mut resources = with_log();
    run_one::<deeper>(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["deeper"; 5]);
}

#[test]
fn failure_of_an_inner_run_fails_the_outer_system() {
    let mut resources = with_log();
    let mut schedule = insertion_order(|all| all.add::<fail_inside>().add::<say>());
    let found = failures(schedule.run(&mut resources));
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with("fail_inside: 1 system failed"),
        "{}",
        found[0]
    );
    assert!(found[0].ends_with(": panicked: inside"), "{}", found[0]);
    assert_eq!(take_log(&mut resources), ["inner", "inner"]);
}
