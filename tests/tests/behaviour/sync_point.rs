//! Sync points: points before the end of the run at which commands are applied.

mod changing;
mod failing;
mod inserted;

use std::thread::{self, ThreadId};

use schedule::dynamic::ClosureSystem;
use schedule::prelude::*;
use schedule::{Builder, Condition, Identity, RunError};

use crate::trace::{Trace, races};
use crate::{Log, failures, take_log, with_log};
use schedule_tests::on::On;

#[derive(Checkpoint)]
struct Loaded;

#[derive(Checkpoint)]
struct Unloaded;

#[derive(Checkpoint)]
struct Noon;

#[derive(Group)]
struct Day;

#[derive(Debug, Default, PartialEq, Resource)]
struct Level(u32);

const LOAD: u32 = line!() + 2;
#[system(before = Loaded)]
fn load(mut commands: Commands<Inserts<Level>>) {
    commands.insert(Level(1));
}

#[system(before = Loaded)]
fn look_before(level: Option<&Level>, log: &mut Log) {
    log.push(if level.is_some() {
        "there before"
    } else {
        "not before"
    });
}

#[system(after = Loaded)]
fn play(level: &mut Level) {
    level.0 += 10;
}

#[system(after = play)]
fn look(level: &Level, log: &mut Log) {
    log.push(if level.0 == 11 { "played" } else { "other" });
}

#[system(after = look)]
fn look_twice(level: Option<&Level>, log: &mut Log) {
    log.push(if level.is_some() {
        "there"
    } else {
        "not there"
    });
}

#[system(after = Loaded)]
fn unload(mut commands: Commands) {
    commands.remove::<Level>();
}

#[system]
fn rest() {}

/// Number of consecutive runs.
const N_REPEATS: usize = if cfg!(miri) { 2 } else { 3 };

/// Returns a command that appends a text to the log.
fn say(text: &'static str) -> impl FnOnce(&mut Resources) + Send + 'static {
    move |resources| resources.get_mut::<Log>().unwrap().push(text)
}

/// Returns a system that records a command which appends this text.
fn saying(text: &'static str) -> impl ClosureSystem<fn(Commands<'static>)> {
    move |mut commands: Commands| {
        commands.push(say(text));
    }
}

/// Returns the schedule of the declarations of `declare`, once for each executor.
fn schedules(
    declare: impl Fn(&mut Builder) -> &mut Builder,
) -> impl Iterator<Item = (On, Schedule)> {
    On::ALL.iter().map(move |&on| {
        let mut schedule = declare(&mut Schedule::builder()).build().unwrap();
        on.set(&mut schedule);
        (on, schedule)
    })
}

fn names_of_skipped(error: &RunError) -> Vec<&str> {
    let skipped = error.skipped().iter();
    skipped.map(|system| system.name.as_str()).collect()
}

#[test]
fn resource_inserted_by_a_command_exists_after_the_sync_point() {
    for (on, mut schedule) in schedules(|all| {
        all.add::<look_twice>()
            .add::<look>()
            .add::<play>()
            .apply_commands::<Loaded>()
            .add::<load>()
            .add::<look_before>()
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap();
            let log = take_log(&mut resources);
            assert_eq!(log, ["not before", "played", "there"], "{on:?}");
            assert_eq!(resources.remove(), Some(Level(11)), "{on:?}");
        }
    }
}

#[test]
fn resource_inserted_by_a_command_is_missing_without_a_sync_point() {
    for (on, mut schedule) in schedules(|all| {
        all.checkpoint::<Loaded>()
            .add::<load>()
            .add::<play>()
            .add::<look>()
            .order_without_commands("load", "play")
            .order_without_commands("load", "look")
    }) {
        let error = schedule.run(&mut with_log()).unwrap_err();
        assert_eq!(names_of_skipped(&error), ["look"], "{on:?}");
        assert_eq!(
            failures(Err(error)),
            [
                "play: resource `Level` is missing: it was removed during the run, or the system that should insert it did not"
            ],
            "{on:?}"
        );
    }
}

#[test]
fn undeclared_resource_of_a_command_is_required_before_the_run() {
    let mut schedule = Schedule::builder()
        .add_closure("load", |mut commands: Commands| {
            commands.insert(Level(1));
        })
        .apply_commands::<Loaded>()
        .order("load", "Loaded")
        .add::<play>()
        .build()
        .unwrap();
    let error = schedule.run(&mut Resources::new()).unwrap_err();
    assert!(matches!(error, RunError::Missing(_)), "{error}");
}

#[test]
fn commands_at_a_sync_point_are_applied_in_schedule_order() {
    for (on, mut schedule) in schedules(|all| {
        for text in ["a", "b", "c", "d", "e", "f"] {
            all.add_closure(text, saying(text)).before::<Loaded>();
        }
        all.apply_commands::<Loaded>()
            .order("e", "b")
            .order("d", "a")
    }) {
        let expected = ["c", "d", "a", "e", "b", "f"];
        assert_eq!(schedule.systems().collect::<Vec<_>>(), expected);
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap();
            assert_eq!(take_log(&mut resources), expected, "{on:?}");
        }
    }
}

#[test]
fn commands_recorded_after_a_sync_point_are_applied_at_the_end() {
    for (on, mut schedule) in schedules(|all| {
        all.apply_commands::<Loaded>()
            .add_closure("behind", saying("at the end"))
            .after::<Loaded>()
            .add_closure("before", saying("at the sync point"))
            .before::<Loaded>()
            .add_closure("last", |log: &mut Log| log.push("the last system"))
            .after::<Loaded>()
            .order("behind", "last")
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap();
            assert_eq!(
                take_log(&mut resources),
                ["at the sync point", "the last system", "at the end"],
                "{on:?}"
            );
        }
    }
}

#[test]
fn each_sync_point_applies_commands_since_the_previous_one() {
    for (on, mut schedule) in schedules(|all| {
        all.add_closure("first", saying("first"))
            .before::<Loaded>()
            .apply_commands::<Loaded>()
            .add_closure("second", saying("second"))
            .after::<Loaded>()
            .before::<Unloaded>()
            .add_closure("between", |log: &mut Log| log.push("between"))
            .after::<Loaded>()
            .before::<Unloaded>()
            .order("second", "between")
            .apply_commands::<Unloaded>()
            .add_closure("third", saying("third"))
            .after::<Unloaded>()
            .add_closure("behind", |log: &mut Log| log.push("behind"))
            .order("third", "behind")
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap();
            assert_eq!(
                take_log(&mut resources),
                ["first", "between", "second", "behind", "third"],
                "{on:?}"
            );
        }
    }
}

#[test]
fn resource_inserted_at_one_sync_point_may_be_removed_at_the_next() {
    for (on, mut schedule) in schedules(|all| {
        all.add::<load>()
            .apply_commands::<Loaded>()
            .add::<play>()
            .before::<Unloaded>()
            .add::<look>()
            .before::<Unloaded>()
            .add::<unload>()
            .before::<Unloaded>()
            .apply_commands::<Unloaded>()
            .add::<look_twice>()
            .after::<Unloaded>()
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap();
            let log = take_log(&mut resources);
            assert_eq!(log, ["played", "not there"], "{on:?}");
            assert!(!resources.contains::<Level>());
        }
    }
}

#[test]
fn sync_point_runs_on_the_thread_that_calls_run() {
    #[derive(Debug, Identity, PartialEq)]
    struct Window(u32);

    #[derive(Debug, PartialEq, Resource)]
    struct DoneOn(ThreadId);

    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::InsertionOrder)
            .add_closure("open", |mut commands: Commands| {
                commands.push(|resources| {
                    resources.insert(DoneOn(thread::current().id()));
                    resources.main_thread().remove::<Window>();
                    resources.main_thread().insert(Window(7));
                });
            })
            .apply_commands::<Loaded>()
            .add_closure("draw", |mut window: NonSendMut<Window>| window.0 += 1)
    }) {
        let mut resources = Resources::new();
        resources.main_thread().insert(Window(0));
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap();
            let done_on = resources.remove::<DoneOn>();
            assert_eq!(done_on, Some(DoneOn(thread::current().id())), "{on:?}");
            let window = resources.main_thread().insert(Window(0));
            assert_eq!(window, Some(Window(8)), "{on:?}");
        }
    }
}

#[test]
fn commands_of_an_exclusive_system_are_applied_at_the_sync_point() {
    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::InsertionOrder)
            .add_closure(
                "alone",
                |resources: &mut Resources, mut commands: Commands| {
                    say("alone")(resources);
                    commands.push(say("of the one that runs alone"));
                },
            )
            .add_closure("between", |log: &mut Log| log.push("between"))
            .apply_commands::<Loaded>()
            .add_closure("behind", |log: &mut Log| log.push("behind"))
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap();
            assert_eq!(
                take_log(&mut resources),
                ["alone", "between", "of the one that runs alone", "behind"],
                "{on:?}"
            );
        }
    }
}

#[test]
fn a_sync_point_without_commands_does_nothing() {
    for (on, mut schedule) in schedules(|all| {
        all.apply_commands::<Loaded>()
            .before::<Unloaded>()
            .apply_commands::<Unloaded>()
            .add_closure("a", |log: &mut Log| log.push("a"))
            .before::<Loaded>()
            .add_closure("b", |log: &mut Log| log.push("b"))
            .after::<Unloaded>()
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap();
            assert_eq!(take_log(&mut resources), ["a", "b"], "{on:?}");
        }
        assert_eq!(schedule.systems().collect::<Vec<_>>(), ["a", "b"]);
    }
}

#[test]
fn sync_point_may_be_in_a_group_or_after_one() {
    for (on, mut schedule) in schedules(|all| {
        all.apply_commands::<Loaded>()
            .in_group::<Day>()
            .add_closure("member", saying("member"))
            .in_group::<Day>()
            .before::<Loaded>()
            .add_closure("before", |log: &mut Log| log.push("before"))
            .before::<Day>()
            .apply_commands::<Unloaded>()
            .after::<Day>()
            .add_closure("after", saying("after"))
            .after::<Day>()
            .before::<Unloaded>()
            .add_closure("last", |log: &mut Log| log.push("last"))
            .after::<Unloaded>()
    }) {
        let mut resources = with_log();
        schedule.run(&mut resources).unwrap();
        let log = take_log(&mut resources);
        assert_eq!(log, ["before", "member", "after", "last"], "{on:?}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn a_sync_point_is_found_by_its_type_its_name_and_its_node() {
    let mut builder = Schedule::builder();
    builder.apply_commands::<Loaded>();
    let first = builder.last().unwrap();
    builder.apply_commands::<Loaded>().named("again");
    builder
        .add_closure("a", || ())
        .order("a", first)
        .order(first, "again")
        .add_closure("b", || ())
        .order("again", "b");
    let schedule = builder.build().unwrap();
    assert_eq!(schedule.systems().collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn unordered_sync_point_races_with_every_system() {
    let mut builder = Schedule::builder();
    let line = line!() + 1;
    builder.add::<load>().apply_commands::<Noon>().add::<rest>();
    builder.checkpoint::<Loaded>();
    let error = builder.build().unwrap_err();
    let text = error.to_string();
    let races: Vec<_> = error
        .races()
        .map(|race| (&race.first, &race.second))
        .collect();
    let names = races.iter().map(|race| (&*race.0.name, &*race.1.name));
    assert_eq!(
        names.collect::<Vec<_>>(),
        [("load", "Noon"), ("Noon", "rest")]
    );
    let file = file!();
    assert!(text.contains(&format!("`load` ({file}:{LOAD})")), "{text}");
    assert!(text.contains(&format!("`Noon` ({file}:{line})")), "{text}");
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn unordered_sync_points_race() {
    let mut builder = Schedule::builder();
    builder
        .apply_commands::<Loaded>()
        .apply_commands::<Unloaded>();
    let expected = [("Loaded".to_string(), "Unloaded".to_string())];
    assert_eq!(races(&mut builder), expected);
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn policy_orders_a_sync_point() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .policy(Policy::InsertionOrder)
        .add_dynamic(trace.system("a"))
        .apply_commands::<Loaded>()
        .add_dynamic(trace.system("b"));
    assert_eq!(builder.build().unwrap().n_policy_orders(), 2);
}

#[test]
fn implied_condition_runs_after_a_loop_with_a_sync_point() {
    for (on, mut schedule) in schedules(|all| {
        all.add_closure("play", |log: &mut Log| log.push("play"))
            .run_if(Condition::exists::<Level>())
            .repeat_while_closure(
                "one_iteration",
                |mut n_asked: Local<u32>| {
                    *n_asked += 1;
                    *n_asked % 2 == 1
                },
                |body| body.add::<load>().apply_commands::<Loaded>(),
            )
            .order("one_iteration", "play")
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap();
            assert_eq!(take_log(&mut resources), ["play"], "{on:?}");
            resources.remove::<Level>();
        }
    }
}
