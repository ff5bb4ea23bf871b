//! `Debug` output is short and never contains everything that is reachable.

use schedule::param::CommandQueue;
use schedule::prelude::*;
use schedule::{Identity, run_one};

use crate::{Log, with_log};

/// A resource that contains a set of resources, and has no `Debug`.
#[derive(Resource)]
struct World(Resources);

#[system]
fn say(log: &mut Log) {
    log.push("said");
}

#[system]
fn fail() -> Result<(), String> {
    Err("no".into())
}

#[system]
fn panic() {
    panic!("stopped");
}

#[system]
fn print(mut commands: Commands, n_runs: Local<u8>, resources: &Resources) {
    commands.push(|_| ()).push(|_| ());
    assert_eq!(format!("{commands:?}"), "Commands(2 recorded)");
    assert_eq!(format!("{n_runs:?}"), "Local(0)");
    assert_eq!(format!("{resources:?}"), r#"{"Log", "World"}"#);
}

#[test]
fn a_schedule_prints_its_systems() {
    let mut builder = Schedule::builder();
    builder.name("year").add::<say>().add::<fail>();
    assert_eq!(
        format!("{builder:?}"),
        "Builder { name: Some(\"year\"), nodes: [\"say\", \"fail\"], removed: [], n_groups: 0, n_memberships: 0, \
         n_orders: 0, n_guards: 0, n_plugins: 0, n_policies: 0, .. }"
    );
    assert_eq!(
        format!("{:?}", builder.build().unwrap()),
        "schedule `year`\n  say\n  fail"
    );
}

#[test]
fn resources_print_their_names() {
    let mut resources = with_log();
    resources.insert(World(with_log()));
    let world = resources.get_mut::<World>().unwrap();
    run_one::<say>(&mut world.0).unwrap();
    assert_eq!(format!("{resources:?}"), r#"{"Log", "World"}"#);
    run_one::<print>(&mut resources).unwrap();
}

#[test]
fn a_panic_prints_its_message() {
    let error = run_one::<panic>(&mut Resources::new()).unwrap_err();
    let cause = &error.failures()[0].cause;
    assert_eq!(format!("{cause:?}"), r#"Panic(Panic("stopped"))"#);
}

#[test]
fn a_name_prints_as_code() {
    assert_eq!(format!("{:?}", Option::<Log>::NAME), "`Option<Log>`");
    assert_eq!(
        format!("{:?}", CommandQueue::new()),
        "CommandQueue(0 recorded)"
    );
}
