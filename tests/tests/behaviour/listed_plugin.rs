//! Listed schedules as plugins of listed schedules, which the compiler verifies as one.

use schedule::prelude::*;

use crate::{Log, take_log, with_log};

#[derive(Checkpoint)]
struct InputRead;

#[derive(Checkpoint)]
struct Saved;

#[derive(Group)]
struct Movement;

#[derive(Group)]
struct Village;

#[derive(Resource, Default)]
struct Position(i32);

#[derive(Resource)]
struct Iterations(u32);

#[system]
fn is_due(log: &mut Log) -> bool {
    log.push("is_due");
    true
}

#[system]
fn is_never(log: &mut Log) -> bool {
    log.push("is_never");
    false
}

#[system]
fn has_iterations(iterations: &mut Iterations) -> bool {
    iterations.0 = iterations.0.saturating_sub(1);
    iterations.0 > 0
}

macro_rules! logging {
    ($($name:ident)*) => {$(
        #[system]
        fn $name(log: &mut Log) {
            log.push(stringify!($name));
        }
    )*};
}

logging!(keyboard accelerate integrate draw save);

#[system]
fn left(position: &mut Position) {
    position.0 -= 1;
}

#[system]
fn right(position: &mut Position) {
    position.0 *= 2;
}

#[system(after = Physics)]
fn sound(log: &mut Log) {
    log.push("sound");
}

schedule! {
    /// A plugin with names, a group and a condition.
    Physics {
        accelerate as first: in Movement if is_due,
        integrate as second: after first if is_due,
    }
}

schedule! {
    /// The insertion order inside a plugin does not depend on the schedule that includes it.
    Steps {
        policy insertion order,
        left,
        right,
    }
}

schedule! {
    Between {
        policy insertion order for Log,
        keyboard as first,
        include Physics: after first before draw,
        draw as second,
        sound: before second,
        save: after second,
    }
}

schedule! {
    Skipped {
        policy insertion order for Log,
        draw,
        include Physics: after draw if is_never,
        sound,
    }
}

schedule! {
    Nested {
        policy insertion order for Log,
        group Village {
            keyboard,
            include Between2: after keyboard,
        }
        save: after Village,
    }
}

schedule! {
    Between2 {
        policy insertion order for Log,
        draw,
        include Physics: after draw,
    }
}

schedule! {
    Looped {
        policy insertion order for Log,
        repeat while has_iterations {
            include Physics,
            checkpoint InputRead: before Physics,
            draw: after Physics,
        }
        apply_commands Saved: after has_iterations,
    }
}

schedule! {
    /// The systems of the plugin are ordered between the other systems.
    Among {
        draw: after accelerate before integrate,
        include Physics,
    }
}

schedule! {
    /// Insertion order applies only to unordered systems of the plugin.
    Lax {
        include Steps,
        keyboard,
    }
}

schedule! {
    open Collecting {
        policy insertion order for Log,
        keyboard: before Physics,
        include Physics,
    }
}

fn run(mut schedule: Schedule) -> Vec<&'static str> {
    let mut resources = with_log();
    resources.insert(Iterations(3));
    resources.insert(Position(3));
    schedule.run(&mut resources).unwrap();
    take_log(&mut resources)
}

#[test]
fn orders_of_a_plugin_apply_to_all_its_entries() {
    let expected = [
        "keyboard",
        "is_due",
        "accelerate",
        "integrate",
        "sound",
        "draw",
        "save",
    ];
    let mut found = run(Between::new());
    // The position of the condition is not determined.
    found.retain(|name| *name != "is_due");
    let expected = expected.into_iter().filter(|name| *name != "is_due");
    assert_eq!(found, expected.collect::<Vec<_>>());
}

#[test]
fn equal_names_inside_and_outside_of_a_plugin_are_distinct() {
    let schedule = Between::new();
    let names: Vec<&str> = schedule.systems().collect();
    let n_named = |name: &str| names.iter().filter(|one| **one == name).count();
    assert_eq!((n_named("first"), n_named("second")), (2, 2));
}

#[test]
fn false_condition_of_a_plugin_is_evaluated_once_and_skips_its_systems() {
    assert_eq!(run(Skipped::new()), ["draw", "is_never", "sound"]);
}

#[test]
fn nested_plugins_in_a_group_belong_to_all_of_them() {
    let mut found = run(Nested::new());
    found.retain(|name| *name != "is_due");
    assert_eq!(
        found,
        ["keyboard", "draw", "accelerate", "integrate", "save"]
    );
}

#[test]
fn plugin_in_a_loop_runs_in_each_iteration() {
    let mut found = run(Looped::new());
    found.retain(|name| *name != "is_due");
    let iteration = ["accelerate", "integrate", "draw"];
    assert_eq!(found, [iteration, iteration].concat());
}

#[test]
fn listed_plugin_is_not_a_barrier() {
    let mut found = run(Among::new());
    found.retain(|name| *name != "is_due");
    assert_eq!(found, ["accelerate", "draw", "integrate"]);
}

#[test]
fn policy_of_a_listed_plugin_applies_inside_it() {
    let mut resources = with_log();
    resources.insert(Position(3));
    Lax::new().run(&mut resources).unwrap();
    assert_eq!(resources.get::<Position>().unwrap().0, 4);
    // The policy does not apply outside of the plugin.
    let mut builder = Lax::builder();
    builder.add_closure("jump", |position: &mut Position| position.0 = 0);
    let error = builder.build().unwrap_err().to_string();
    assert!(error.contains("2 problems"), "{error}");
}

#[test]
fn open_schedule_may_include_plugins() {
    let mut found = run(Collecting::new().unwrap());
    found.retain(|name| *name != "is_due");
    assert_eq!(found, ["keyboard", "accelerate", "integrate"]);
}

#[test]
fn schedule_with_plugins_may_be_included_by_a_builder() {
    let mut builder = Schedule::builder();
    builder
        .add_closure("shift", || ())
        .include(Nested::builder());
    let mut found = run(builder.build().unwrap());
    found.retain(|name| *name != "is_due");
    assert_eq!(
        found,
        ["keyboard", "draw", "accelerate", "integrate", "save"]
    );
}
