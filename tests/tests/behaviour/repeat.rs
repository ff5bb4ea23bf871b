//! Loops: commands, sync points, failures and main-thread values in their bodies, and loops as part of a schedule.

use std::thread;

use schedule::error::Cause;
use schedule::prelude::*;
use schedule::{Builder, Condition, FailurePolicy, Target};

use crate::{Log, failures, schedule_of, take_log, with_log};
use schedule_tests::on::On;

/// The number of remaining iterations of a loop.
#[derive(Debug, Default, Resource)]
struct Left(u32);

/// The numbers that commands appended.
#[derive(Debug, Default, PartialEq, Resource)]
struct Carried(Vec<u32>);

#[derive(Checkpoint)]
struct Settled;

#[derive(Debug, Default, PartialEq, Resource)]
struct Other(u32);

#[system]
fn is_left(left: &mut Left) -> bool {
    left.0 = left.0.saturating_sub(1);
    left.0 > 0
}

/// Schedules with loops never run by timetable, so Miri can skip the timetables.
const ON: &[On] = if cfg!(miri) {
    &[On::Serial, On::Threads(2)]
} else {
    On::ALL
};

/// Runs a loop with this body for `n_iterations` iterations per run, on each executor. Passes the end of each run to `check`.
fn each(
    n_iterations: u32,
    declare: impl Fn(&mut Builder) -> &mut Builder,
    check: impl Fn(&mut Resources, Result<(), schedule::RunError>),
) {
    for &on in ON {
        let mut schedule = schedule_of(&declare);
        on.set(&mut schedule);
        let mut resources = with_log();
        resources.insert_default::<Carried>();
        resources.insert_default::<Other>();
        for _ in 0..3 {
            resources.insert(Left(n_iterations + 1));
            let result = schedule.run(&mut resources);
            check(&mut resources, result);
        }
    }
}

/// Returns a closure that records a command. The command appends this number.
macro_rules! record {
    ($n:literal) => {
        |mut commands: Commands<'_>| {
            commands.push(|resources| {
                resources.get_mut::<Carried>().unwrap().0.push($n);
            });
        }
    };
}

#[test]
fn commands_of_a_loop_are_applied_after_each_iteration() {
    each(
        3,
        |builder| {
            builder
                .add_closure("before", record!(0))
                .repeat_while::<is_left>(|body| {
                    body.add_closure("one", record!(1))
                        .add_closure("two", record!(2))
                })
                .add_closure("after", record!(9))
        },
        |resources, result| {
            result.unwrap();
            let carried = std::mem::take(&mut resources.get_mut::<Carried>().unwrap().0);
            assert_eq!(carried, [0, 1, 2, 1, 2, 1, 2, 9]);
        },
    );
}

#[test]
fn commands_of_nested_loops_keep_their_order() {
    each(
        2,
        |builder| {
            builder.repeat_while::<is_left>(|outer| {
                outer
                    .add_closure("first", record!(1))
                    .repeat_while_closure(
                        "inner",
                        |mut n: Local<'_, u32>| {
                            *n = (*n + 1) % 3;
                            *n > 0
                        },
                        |inner| inner.add_closure("within", record!(2)),
                    )
                    .add_closure("last", record!(3))
            })
        },
        |resources, result| {
            result.unwrap();
            let carried = std::mem::take(&mut resources.get_mut::<Carried>().unwrap().0);
            assert_eq!(carried, [1, 2, 2, 3, 1, 2, 2, 3]);
        },
    );
}

#[test]
fn sync_point_in_a_loop_applies_earlier_commands() {
    each(
        2,
        |builder| {
            builder
                .policy(Policy::InsertionOrder)
                .add_closure("before", record!(0))
                .repeat_while::<is_left>(|body| {
                    body.add_closure("one", record!(1))
                        .apply_commands::<Settled>()
                        .add_closure("two", record!(2))
                        .add_closure("look", |carried: &Carried, log: &mut Log| {
                            log.push(match carried.0.as_slice() {
                                [0, 1] => "first iteration",
                                [0, 1, 2, 1] => "second iteration",
                                _ => "something else",
                            });
                        })
                })
        },
        |resources, result| {
            result.unwrap();
            assert_eq!(take_log(resources), ["first iteration", "second iteration"]);
            let carried = std::mem::take(&mut resources.get_mut::<Carried>().unwrap().0);
            assert_eq!(carried, [0, 1, 2, 1, 2]);
        },
    );
}

#[test]
fn failure_in_a_loop_body_ends_the_loop_after_its_iteration() {
    each(
        3,
        |builder| {
            builder
                .policy(Policy::InsertionOrder)
                .repeat_while::<is_left>(|body| {
                    body.add_closure("fails", |left: &Left| match left.0 {
                        2 => Err("no"),
                        _ => Ok(()),
                    })
                    .add_closure("skipped", |log: &mut Log| log.push("skipped"))
                    .add_closure("other", |log: &mut Log| log.push("other"))
                    .order("fails", "skipped")
                })
                .add_closure("behind", |log: &mut Log| log.push("behind"))
                .order("is_left", "behind")
                .add_closure("beside", |log: &mut Log| log.push("beside"))
        },
        |resources, result| {
            let error = result.unwrap_err();
            assert_eq!(
                take_log(resources),
                ["skipped", "other", "other", "beside"],
                "two iterations, and no third"
            );
            let skipped = error.skipped().iter().map(|place| place.name.as_str());
            assert_eq!(skipped.collect::<Vec<_>>(), ["skipped", "behind"]);
            assert_eq!(failures(Err(error)), ["fails: no"]);
        },
    );
}

#[test]
fn carry_on_in_a_loop_body_runs_dependents_but_no_further_iteration() {
    each(
        3,
        |builder| {
            builder
                .policy(Policy::InsertionOrder)
                .failure_policy(FailurePolicy::CarryOn)
                .repeat_while::<is_left>(|body| {
                    body.add_closure("fails", || Err::<(), _>("no"))
                        .add_closure("part", |log: &mut Log| log.push("part"))
                        .order("fails", "part")
                })
                .add_closure("behind", |log: &mut Log| log.push("behind"))
                .order("is_left", "behind")
        },
        |resources, result| {
            assert_eq!(take_log(resources), ["part", "behind"]);
            let error = result.unwrap_err();
            assert!(error.skipped().is_empty());
            assert_eq!(failures(Err(error)), ["fails: no"]);
        },
    );
}

#[test]
fn skipped_loop_reports_all_of_its_systems() {
    each(
        3,
        |builder| {
            builder
                .add_closure("fails", || Err::<(), _>("no"))
                .repeat_while::<is_left>(|body| {
                    body.add_closure("part", |log: &mut Log| log.push("part"))
                        .repeat_while_closure(
                            "inner",
                            || true,
                            |inner| inner.add_closure("within", || {}),
                        )
                })
                .order("fails", "is_left")
        },
        |resources, result| {
            assert!(take_log(resources).is_empty());
            let error = result.unwrap_err();
            let skipped = error.skipped().iter().map(|place| place.name.as_str());
            assert_eq!(
                skipped.collect::<Vec<_>>(),
                ["is_left", "part", "inner", "within"]
            );
        },
    );
}

#[test]
fn a_condition_of_a_loop_that_fails_or_panics_fails_the_loop() {
    for panics in [false, true] {
        each(
            3,
            |builder| {
                builder
                    .policy(Policy::InsertionOrder)
                    .repeat_while_closure(
                        "asks",
                        move |left: &mut Left| {
                            left.0 -= 1;
                            assert!(left.0 > 1 || !panics, "over");
                            if left.0 > 1 { Ok(true) } else { Err("over") }
                        },
                        |body| body.add_closure("part", |log: &mut Log| log.push("part")),
                    )
                    .add_closure("behind", |log: &mut Log| log.push("behind"))
                    .order("asks", "behind")
            },
            |resources, result| {
                assert_eq!(take_log(resources), ["part", "part"]);
                let failed = failures(result);
                let expected = ["asks: over", "asks: panicked: over"][usize::from(panics)];
                assert_eq!(failed, [expected]);
            },
        );
    }
}

#[test]
fn loop_that_exceeds_its_limit_fails() {
    each(
        3,
        |builder| {
            builder
                .repeat_while::<is_left>(|body| {
                    body.add_closure("part", |log: &mut Log| log.push("part"))
                })
                .at_most(2)
        },
        |resources, result| {
            assert_eq!(take_log(resources), ["part", "part"]);
            let error = result.unwrap_err();
            assert!(matches!(
                error.failures()[0].cause,
                Cause::TooManyIterations(2)
            ));
            assert_eq!(
                failures(Err(error)),
                ["is_left: the loop reached its limit of 2 iterations"]
            );
        },
    );
    each(
        2,
        |builder| {
            builder
                .repeat_while::<is_left>(|body| body.add_closure("part", |_: &mut Log| {}))
                .at_most(2)
        },
        |_, result| result.unwrap(),
    );
}

#[test]
fn bound_systems_in_a_loop_run_on_the_caller() {
    let caller = thread::current().id();
    each(
        3,
        |builder| {
            builder.policy(Policy::InsertionOrder).repeat_while_closure(
                "asks",
                move |resources: &mut Resources| {
                    assert_eq!(thread::current().id(), caller);
                    let left = resources.get_mut::<Left>().unwrap();
                    left.0 -= 1;
                    left.0 > 0
                },
                |body| {
                    body.add_closure("free", |other: &mut Other| other.0 += 1)
                        .add_closure("alone", move |resources: &mut Resources| {
                            assert_eq!(thread::current().id(), caller);
                            resources.get_mut::<Log>().unwrap().push("alone");
                        })
                },
            )
        },
        |resources, result| {
            result.unwrap();
            assert_eq!(take_log(resources), ["alone"; 3]);
            assert_eq!(resources.insert(Other(0)), Some(Other(3)));
        },
    );
}

#[test]
fn loop_may_insert_resources_for_its_next_iteration() {
    #[derive(Resource)]
    struct Found(u32);

    each(
        2,
        |builder| {
            builder
                .policy(Policy::InsertionOrder)
                .repeat_while::<is_left>(|body| {
                    body.add_closure("use", |found: Option<&mut Found>, log: &mut Log| {
                        log.push(if found.is_some() { "found" } else { "missing" });
                    })
                    .add_closure(
                        "find",
                        |mut commands: Commands<'_, schedule::Inserts<Found>>| {
                            commands.insert(Found(1));
                        },
                    )
                    .apply_commands::<Settled>()
                    .add_closure("need", |found: &mut Found| found.0 += 1)
                })
        },
        |resources, result| {
            result.unwrap();
            assert_eq!(take_log(resources), ["missing", "found"]);
            assert_eq!(resources.remove::<Found>().unwrap().0, 2);
        },
    );
}

#[test]
fn systems_independent_of_a_loop_overlap_with_it() {
    use std::sync::Barrier;

    let meet = std::sync::Arc::new(Barrier::new(2));
    let (one, other) = (meet.clone(), meet);
    let mut schedule = Schedule::builder()
        .repeat_while_closure(
            "once",
            |mut n: Local<'_, u32>| {
                *n = (*n + 1) % 2;
                *n > 0
            },
            |body| {
                body.add_closure("part", move || {
                    one.wait();
                })
            },
        )
        .add_closure("beside", move || {
            other.wait();
        })
        .build()
        .unwrap();
    schedule.set_executor(schedule::Executor::Parallel);
    schedule.set_pool(schedule_tests::on::own_pool(2));
    for _ in 0..10 {
        schedule.run(&mut Resources::new()).unwrap();
    }
}

#[test]
fn exclusive_system_in_one_of_two_branches_needs_no_order() {
    #[derive(Resource)]
    struct Day(bool);

    let day = Condition::closure("is_day", |day: &Day| day.0);
    for &on in On::EACH {
        let mut schedule = Schedule::builder()
            .add_closure("alone", |resources: &mut Resources| {
                resources.get_mut::<Log>().unwrap().push("alone");
            })
            .run_if(day.clone())
            .add_closure("free", |log: &mut Log| log.push("free"))
            .run_if(!day.clone())
            .build()
            .unwrap();
        on.set(&mut schedule);
        let mut resources = with_log();
        for (is_day, expected) in [(true, "alone"), (false, "free"), (true, "alone")] {
            resources.insert(Day(is_day));
            schedule.run(&mut resources).unwrap();
            assert_eq!(take_log(&mut resources), [expected]);
        }
    }
}

#[test]
fn loop_may_have_a_failure_policy() {
    let mut schedule = Schedule::builder()
        .repeat_while_closure("asks", || Err::<bool, _>("no"), |body| body)
        .add_closure("behind", |log: &mut Log| log.push("behind"))
        .order("asks", "behind")
        .failure_policy_for("asks", FailurePolicy::CarryOn)
        .build()
        .unwrap();
    let mut resources = with_log();
    assert_eq!(failures(schedule.run(&mut resources)), ["asks: no"]);
    assert_eq!(take_log(&mut resources), ["behind"]);
}

#[test]
fn loop_is_found_by_its_name_or_that_of_its_condition() {
    let mut builder = Schedule::builder();
    builder
        .repeat_while::<is_left>(|body| body)
        .named("steps")
        .add_closure("behind", |_: &mut Left| {})
        .order("steps", "behind")
        .add_closure("before", |_: &mut Left| {})
        .order("before", Target::from("steps"));
    let text = format!("{:?}", builder.build().unwrap());
    assert_eq!(
        text,
        "schedule `schedule`\n  before\n  repeat while `steps`\n  behind"
    );
}

#[test]
fn commands_of_a_loop_condition_precede_those_of_its_iteration() {
    for (fails, expected) in [
        (false, &[91, 1, 92, 1, 93][..]),
        // The third evaluation of the condition fails, and its recorded commands are dropped.
        (true, &[91, 1, 92, 1]),
    ] {
        each(
            0,
            |builder| {
                builder.repeat_while_closure(
                    "asks",
                    move |mut n: Local<'_, u32>, mut commands: Commands<'_>| {
                        *n = *n % 3 + 1;
                        let number = 90 + *n;
                        commands.push(move |resources| {
                            resources.get_mut::<Carried>().unwrap().0.push(number);
                        });
                        match *n {
                            3 if fails => Err("no"),
                            n => Ok(n < 3),
                        }
                    },
                    |body| body.add_closure("part", record!(1)),
                )
            },
            |resources, result| {
                assert_eq!(result.is_err(), fails);
                let carried = std::mem::take(&mut resources.get_mut::<Carried>().unwrap().0);
                assert_eq!(carried, expected);
            },
        );
    }
}

#[test]
fn loop_with_an_invalid_condition_is_an_error() {
    #[derive(Branch, Clone, Copy)]
    enum Gait {
        Walk,
    }
    for (name, error) in [
        (
            "nothing",
            Schedule::builder().repeat_while_closure("nothing", || {}, |body| body),
        ),
        (
            "selector",
            Schedule::builder().repeat_while_closure("selector", || Gait::Walk, |body| body),
        ),
    ]
    .map(|(name, builder)| (name, builder.build().unwrap_err()))
    {
        let text = error.to_string();
        assert!(text.contains(&format!("`{name}`")), "{text}");
        assert!(
            text.ends_with("help: change its return type to `bool`"),
            "{text}"
        );
    }
}

#[test]
fn build_inside_a_loop_body_does_not_panic() {
    let mut builder = Schedule::builder();
    builder
        .add_closure("lost", || {})
        .repeat_while::<is_left>(|body| {
            body.add_closure("lost too", || {}).build().unwrap();
            body
        })
        .at_most(2)
        .named("nothing");
    let error = builder.build().unwrap_err();
    assert!(
        error.to_string().contains("nothing was added before it"),
        "{error}"
    );
}
