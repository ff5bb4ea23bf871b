//! The commands that a sync point applies if a system, a command or an earlier node fails.

use std::sync::Arc;

use schedule::error::Cause;
use schedule::prelude::*;
use schedule::{Builder, FailurePolicy};

use super::{
    Level, Loaded, N_REPEATS, Unloaded, load, names_of_skipped, play, say, saying, schedules,
};
use crate::{Log, failures, take_log, with_log};

#[test]
fn commands_of_a_failed_system_are_dropped_at_the_sync_point() {
    let held = Arc::new(());
    for (on, mut schedule) in schedules(|all| {
        let (of_an_error, of_a_panic) = (held.clone(), held.clone());
        all.policy(Policy::InsertionOrder)
            .add_closure("returns an error", move |mut commands: Commands| {
                let held = of_an_error.clone();
                commands
                    .push(move |_| drop(held))
                    .push(say("of the one that returned an error"));
                Err::<(), _>("no")
            })
            .add_closure("panics", move |mut commands: Commands| -> () {
                let held = of_a_panic.clone();
                commands
                    .push(move |_| drop(held))
                    .push(say("of the one that panicked"));
                panic!("no");
            })
            .add_closure("works", saying("works"))
            .apply_commands::<Loaded>()
            .add_closure("behind", |log: &mut Log| log.push("behind"))
    }) {
        let n_held = Arc::strong_count(&held);
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            let found = failures(schedule.run(&mut resources));
            assert_eq!(found, ["returns an error: no", "panics: panicked: no"]);
            assert_eq!(take_log(&mut resources), ["works", "behind"], "{on:?}");
            assert_eq!(Arc::strong_count(&held), n_held, "{on:?}");
        }
    }
}

/// Systems with a declared order after the sync point are skipped with it. Systems that follow only in insertion order run, without the
/// effects of the commands.
#[test]
fn commands_of_a_skipped_sync_point_are_applied_at_the_end() {
    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::InsertionOrder)
            .add::<load>()
            .add_closure("fails", || Err::<(), _>("no"))
            .before::<Loaded>()
            .apply_commands::<Loaded>()
            .add::<play>()
            .add_closure("follows", |level: Option<&Level>, log: &mut Log| {
                log.push(if level.is_some() {
                    "there"
                } else {
                    "not there"
                });
            })
            .add_closure("records", saying("recorded behind"))
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            let error = schedule.run(&mut resources).unwrap_err();
            assert_eq!(names_of_skipped(&error), ["Loaded", "play"], "{on:?}");
            assert_eq!(failures(Err(error)), ["fails: no"]);
            let log = take_log(&mut resources);
            assert_eq!(log, ["not there", "recorded behind"], "{on:?}");
            assert_eq!(resources.remove(), Some(Level(1)), "{on:?}");
        }
    }
}

#[test]
fn commands_of_a_sync_point_skipped_by_a_stop_are_applied_at_the_end() {
    for (on, mut schedule) in schedules(|all| {
        all.failure_policy(FailurePolicy::Stop)
            .add_closure("records", saying("recorded"))
            .add_closure("stops", || Err::<(), _>("no"))
            .order("records", "stops")
            .order("stops", "Loaded")
            .apply_commands::<Loaded>()
            .add_closure("behind", saying("behind"))
            .after::<Loaded>()
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            let error = schedule.run(&mut resources).unwrap_err();
            assert_eq!(names_of_skipped(&error), ["Loaded", "behind"]);
            assert_eq!(take_log(&mut resources), ["recorded"], "{on:?}");
        }
    }
}

/// The first sync point is skipped. Its commands are applied at the end, and not at the second sync point.
#[test]
fn sync_point_after_a_skipped_one_applies_commands_of_both() {
    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::InsertionOrder)
            .add_closure("fails", || Err::<(), _>("no"))
            .before::<Loaded>()
            .add_closure("first", saying("first"))
            .apply_commands::<Loaded>()
            .add_closure("between", |log: &mut Log| log.push("between"))
            .add_closure("second", saying("second"))
            .apply_commands::<Unloaded>()
            .add_closure("behind", |log: &mut Log| log.push("behind"))
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap_err();
            let log = take_log(&mut resources);
            assert_eq!(log, ["between", "first", "second", "behind"], "{on:?}");
        }
    }
}

#[test]
fn command_that_panics_at_a_sync_point_fails_only_its_system() {
    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::InsertionOrder)
            .add_closure("a", saying("a"))
            .add_closure("panics", |mut commands: Commands, mut more: Commands| {
                commands
                    .push(say("before the panic"))
                    .push(|_| panic!("too late"))
                    .push(say("after the panic"));
                more.push(say("of the other parameter"));
            })
            .add_closure("c", saying("c"))
            .apply_commands::<Loaded>()
            .add_closure("behind", |log: &mut Log| log.push("behind"))
            .order("panics", "behind")
            .add_closure("late", saying("late"))
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            let error = schedule.run(&mut resources).unwrap_err();
            assert_eq!(names_of_skipped(&error), [""; 0], "they run: {on:?}");
            assert!(matches!(error.failures()[0].cause, Cause::CommandPanic(_)));
            assert_eq!(
                failures(Err(error)),
                ["panics: a command panicked: too late"],
                "{on:?}"
            );
            assert_eq!(
                take_log(&mut resources),
                ["a", "before the panic", "c", "behind", "late"],
                "{on:?}"
            );
        }
    }
}

#[test]
fn panics_of_commands_are_reported_in_schedule_order() {
    for (on, mut schedule) in schedules(|all| {
        let panicking = |text: &'static str| {
            move |mut commands: Commands| {
                commands.push(move |_| panic!("{text}"));
            }
        };
        all.policy(Policy::InsertionOrder)
            .add_closure("a", panicking("at the sync point"))
            .add_closure("b", || Err::<(), _>("no"))
            .add_closure("c", panicking("at the sync point too"))
            .apply_commands::<Loaded>()
            .add_closure("d", panicking("at the end"))
            .add_closure("e", || Err::<(), _>("no"))
    }) {
        for _ in 0..N_REPEATS {
            assert_eq!(
                failures(schedule.run(&mut Resources::new())),
                [
                    "a: a command panicked: at the sync point",
                    "b: no",
                    "c: a command panicked: at the sync point too",
                    "d: a command panicked: at the end",
                    "e: no",
                ],
                "{on:?}"
            );
        }
    }
}

/// The loop would run its body five times.
#[test]
fn command_that_panics_at_a_sync_point_of_a_loop_fails_the_loop() {
    for (on, mut schedule) in schedules(|all| {
        let mut nth = 0;
        all.policy(Policy::InsertionOrder)
            .repeat_while_closure(
                "loop",
                move || {
                    nth += 1;
                    nth % 6 != 0
                },
                |body| {
                    body.add_closure("panics", |mut commands: Commands| {
                        commands.push(|_| panic!("no"));
                    })
                    .apply_commands::<Loaded>()
                    .add_closure("inside", |log: &mut Log| log.push("inside"))
                },
            )
            .add_closure("dependent", |log: &mut Log| log.push("dependent"))
            .order("loop", "dependent")
            .add_closure("behind", |log: &mut Log| log.push("behind"))
    }) {
        let mut resources = with_log();
        for _ in 0..2 {
            let error = schedule.run(&mut resources).unwrap_err();
            assert_eq!(names_of_skipped(&error), ["dependent"], "{on:?}");
            assert_eq!(
                failures(Err(error)),
                ["panics: a command panicked: no"],
                "{on:?}"
            );
            assert_eq!(take_log(&mut resources), ["inside", "behind"], "{on:?}");
        }
    }
}

/// A condition that is true twice, and then false.
fn is_left(mut n: Local<u32>) -> bool {
    *n = (*n + 1) % 3;
    *n > 0
}

fn panicking(mut commands: Commands) {
    commands.push(|_| panic!("no"));
}

/// Checks what runs if a command panics at a sync point. The loops would run their bodies twice.
fn check_loops(build: impl Fn(&mut Builder) -> &mut Builder, failed: &str, expected: &[&str]) {
    for (on, mut schedule) in schedules(|all| build(all.policy(Policy::InsertionOrder))) {
        let mut resources = with_log();
        let found = failures(schedule.run(&mut resources));
        assert_eq!(found, [failed], "{on:?}");
        assert_eq!(take_log(&mut resources), expected, "{on:?}");
    }
}

#[test]
fn command_that_panics_at_a_sync_point_fails_the_loops_around_both() {
    let failed = "panics: a command panicked: no";
    // The system is in the outer loop, the sync point in the inner one.
    check_loops(
        |all| {
            all.repeat_while_closure("outer", is_left, |body| {
                body.add_closure("panics", panicking)
                    .repeat_while_closure("inner", is_left, |body| {
                        body.apply_commands::<Loaded>()
                            .add_closure("inside", |log: &mut Log| log.push("inside"))
                    })
                    .add_closure("after", |log: &mut Log| log.push("after"))
            })
            .add_closure("end", |log: &mut Log| log.push("end"))
        },
        failed,
        &["inside", "inside", "after", "end"],
    );
    // The system is in the inner loop, the sync point in the outer one.
    check_loops(
        |all| {
            all.repeat_while_closure("outer", is_left, |body| {
                body.repeat_while_closure("inner", is_left, |body| {
                    body.add_closure("panics", panicking)
                        .add_closure("inside", |log: &mut Log| log.push("inside"))
                })
                .apply_commands::<Loaded>()
                .add_closure("after", |log: &mut Log| log.push("after"))
            })
            .add_closure("end", |log: &mut Log| log.push("end"))
        },
        failed,
        &["inside", "inside", "after", "end"],
    );
    // Both are in the inner loop.
    check_loops(
        |all| {
            all.repeat_while_closure("outer", is_left, |body| {
                body.repeat_while_closure("inner", is_left, |body| {
                    body.add_closure("panics", panicking)
                        .apply_commands::<Loaded>()
                        .add_closure("inside", |log: &mut Log| log.push("inside"))
                })
                .add_closure("after", |log: &mut Log| log.push("after"))
            })
            .add_closure("end", |log: &mut Log| log.push("end"))
        },
        failed,
        &["inside", "after", "end"],
    );
}

#[test]
fn command_of_a_condition_that_panics_fails_its_loop() {
    let condition = |mut commands: Commands, n: Local<u32>| {
        commands.push(|_| panic!("no"));
        is_left(n)
    };
    check_loops(
        |all| {
            all.repeat_while_closure("loop", condition, |body| {
                body.apply_commands::<Loaded>()
                    .add_closure("inside", |log: &mut Log| log.push("inside"))
            })
            .add_closure("end", |log: &mut Log| log.push("end"))
        },
        "loop: a command panicked: no",
        &["inside", "end"],
    );
}

#[test]
fn dependents_of_a_loop_run_if_its_system_carries_on() {
    check_loops(
        |all| {
            all.failure_policy(FailurePolicy::CarryOn)
                .repeat_while_closure("loop", is_left, |body| {
                    body.add_closure("panics", panicking)
                        .apply_commands::<Loaded>()
                        .add_closure("inside", |log: &mut Log| log.push("inside"))
                })
                .add_closure("dependent", |log: &mut Log| log.push("dependent"))
                .order("loop", "dependent")
        },
        "panics: a command panicked: no",
        &["inside", "dependent"],
    );
}

/// The loop ends after two iterations.
#[test]
fn command_from_outside_of_a_loop_that_panics_in_it_does_not_fail_the_loop() {
    for (on, mut schedule) in schedules(|all| {
        let mut nth = 0;
        all.policy(Policy::InsertionOrder)
            .add_closure("panics", |mut commands: Commands| {
                commands.push(|_| panic!("no"));
            })
            .repeat_while_closure(
                "loop",
                move || {
                    nth += 1;
                    nth % 3 != 0
                },
                |body| {
                    body.apply_commands::<Loaded>()
                        .add_closure("inside", |log: &mut Log| log.push("inside"))
                },
            )
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            let found = failures(schedule.run(&mut resources));
            assert_eq!(found, ["panics: a command panicked: no"], "{on:?}");
            assert_eq!(take_log(&mut resources), ["inside", "inside"], "{on:?}");
        }
    }
}

#[test]
fn command_that_panics_at_a_sync_point_stops_the_run_under_the_policy_stop() {
    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::InsertionOrder)
            .failure_policy(FailurePolicy::Stop)
            .add_closure("panics", |mut commands: Commands| {
                commands.push(|_| panic!("no"));
            })
            .apply_commands::<Loaded>()
            .add_closure("behind", |log: &mut Log| log.push("behind"))
            .order("Loaded", "behind")
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            let found = failures(schedule.run(&mut resources));
            assert_eq!(found, ["panics: a command panicked: no"], "{on:?}");
            assert_eq!(take_log(&mut resources), [""; 0], "{on:?}");
        }
    }
}
