//! What a failed system means for the others.

use core::panic::Location;

use schedule::prelude::*;
use schedule::{Builder, Cause, FailurePolicy, RunError, Target};

use crate::failures;
use crate::on::On;
use crate::trace::{Trace, named};

use FailurePolicy::{CarryOn, SkipDependents, Stop};

#[derive(Checkpoint)]
struct Noon;

#[derive(Group)]
struct Day;

#[derive(Debug, PartialEq, Resource)]
struct Gold(u32);

#[system]
fn mint(mut commands: Commands) -> Result<(), &'static str> {
    commands.insert(Gold(1));
    Err("no")
}

/// Runs in a row.
const N_REPEATS: usize = if cfg!(miri) { 1 } else { 3 };

/// Runs on every executor, several times each: who runs, in any order; who fails and who is skipped, in that of the
/// schedule.
#[track_caller]
fn check(
    declare: impl Fn(&Trace, &mut Builder),
    mut ran: Vec<&str>,
    failed: &[&str],
    skipped: &[&str],
) {
    ran.sort_unstable();
    for &on in On::ALL {
        let trace = Trace::default();
        let mut builder = Schedule::builder();
        declare(&trace, &mut builder);
        let mut schedule = builder.build().unwrap();
        on.set(&mut schedule);
        let mut resources = named(&["R", "S"]);
        for _ in 0..N_REPEATS {
            let result = schedule.run(&mut resources);
            let mut found = trace.take();
            found.sort_unstable();
            assert_eq!(found, ran, "{on:?}");
            match result {
                Ok(()) => assert_eq!((failed, skipped), (&[][..], &[][..]), "{on:?}"),
                Err(error) => assert_eq!(
                    (names_of_failed(&error), names_of_skipped(&error)),
                    (owned(failed), owned(skipped)),
                    "{on:?}"
                ),
            }
        }
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

fn names_of_failed(error: &RunError) -> Vec<String> {
    let failures = error.failures().iter();
    failures
        .map(|failure| failure.system.name.clone())
        .collect()
}

fn names_of_skipped(error: &RunError) -> Vec<String> {
    let skipped = error.skipped().iter();
    skipped.map(|system| system.name.clone()).collect()
}

/// `fails` before `next` before `last`, and `free`.
fn chain(trace: &Trace, builder: &mut Builder) {
    builder
        .add_dynamic(trace.failing("fails"))
        .add_dynamic(trace.system("next"))
        .add_dynamic(trace.system("last"))
        .add_dynamic(trace.system("free"))
        .order("fails", "next")
        .order("next", "last");
}

#[test]
fn dependents_are_skipped_unless_another_policy_is_chosen() {
    assert_eq!(FailurePolicy::default(), SkipDependents);
    let expected = (vec!["fails", "free"], ["fails"], ["next", "last"]);
    let (ran, failed, skipped) = &expected;
    check(chain, ran.clone(), failed, skipped);
    let explicitly = |trace: &Trace, builder: &mut Builder| {
        chain(trace, builder);
        builder
            .failure_policy(CarryOn)
            .failure_policy(SkipDependents)
            .failure_policy_for("fails", SkipDependents);
    };
    check(explicitly, ran.clone(), failed, skipped);
}

#[test]
fn when_a_schedule_carries_on_everything_else_runs() {
    check(
        |trace, builder| {
            chain(trace, builder);
            builder.failure_policy(CarryOn);
        },
        vec!["fails", "next", "last", "free"],
        &["fails"],
        &[],
    );
}

#[test]
fn a_reader_runs_on_what_a_writer_left_that_carries_on() {
    let declare = |policy| {
        move |trace: &Trace, builder: &mut Builder| {
            builder
                .policy(Policy::WritersFirst)
                .failure_policy(policy)
                .add_dynamic(trace.system("reader").reads("R"))
                .add_dynamic(trace.failing("writer").writes("R"));
        }
    };
    check(
        declare(SkipDependents),
        vec!["writer"],
        &["writer"],
        &["reader"],
    );
    check(declare(CarryOn), vec!["reader", "writer"], &["writer"], &[]);
}

#[test]
fn one_system_carries_on_and_the_others_do_not() {
    check(
        |trace, builder| {
            builder
                .add_dynamic(trace.failing("a"))
                .failure_policy_for("a", CarryOn)
                .add_dynamic(trace.system("after a"))
                .order("a", "after a")
                .add_dynamic(trace.failing("b"))
                .add_dynamic(trace.system("after b"))
                .order("b", "after b");
        },
        vec!["a", "after a", "b"],
        &["a", "b"],
        &["after b"],
    );
}

#[test]
fn one_system_skips_its_dependents_and_the_others_carry_on() {
    check(
        |trace, builder| {
            builder
                .failure_policy(CarryOn)
                .add_dynamic(trace.failing("a"))
                .failure_policy_for("a", SkipDependents)
                .add_dynamic(trace.system("after a"))
                .order("a", "after a")
                .add_dynamic(trace.failing("b"))
                .add_dynamic(trace.system("after b"))
                .order("b", "after b");
        },
        vec!["a", "b", "after b"],
        &["a", "b"],
        &["after a"],
    );
}

#[test]
fn what_comes_after_one_that_carries_on_and_one_that_does_not_is_skipped() {
    check(
        |trace, builder| {
            builder
                .add_dynamic(trace.failing("carries on"))
                .failure_policy_for("carries on", CarryOn)
                .add_dynamic(trace.failing("does not"))
                .add_dynamic(trace.system("both"))
                .order("carries on", "both")
                .order("does not", "both");
        },
        vec!["carries on", "does not"],
        &["carries on", "does not"],
        &["both"],
    );
}

/// It was skipped and did not fail: its own policy has no say.
#[test]
fn skipping_goes_on_behind_a_skipped_system_that_would_carry_on() {
    check(
        |trace, builder| {
            chain(trace, builder);
            builder.failure_policy_for("next", CarryOn);
        },
        vec!["fails", "free"],
        &["fails"],
        &["next", "last"],
    );
}

#[test]
fn a_skipped_system_that_would_stop_the_run_does_not() {
    check(
        |trace, builder| {
            builder
                .add_dynamic(trace.failing("fails"))
                .add_dynamic(trace.failing("would stop"))
                .failure_policy_for("would stop", Stop)
                .order("fails", "would stop")
                .add_dynamic(trace.system("last"))
                .add_dynamic(trace.system("free"));
        },
        vec!["fails", "last", "free"],
        &["fails"],
        &["would stop"],
    );
}

/// In a chain, so that even with many threads there is one way to run it.
#[test]
fn after_a_stop_nothing_starts() {
    let declare = |trace: &Trace, builder: &mut Builder| {
        builder
            .add_dynamic(trace.system("before"))
            .add_dynamic(trace.failing("fails"))
            .add_dynamic(trace.system("after"))
            .add_dynamic(trace.system("last"))
            .order("before", "fails")
            .order("fails", "after")
            .order("after", "last");
    };
    let (failed, skipped) = (["fails"], ["after", "last"]);
    check(
        |trace, builder| {
            declare(trace, builder);
            builder.failure_policy(Stop);
        },
        vec!["before", "fails"],
        &failed,
        &skipped,
    );
    check(
        |trace, builder| {
            declare(trace, builder);
            builder.failure_policy_for("fails", Stop);
        },
        vec!["before", "fails"],
        &failed,
        &skipped,
    );
}

/// It follows by a policy only, and would run under any other.
#[test]
fn a_stop_skips_what_merely_follows_as_added() {
    let declare = |policy| {
        move |trace: &Trace, builder: &mut Builder| {
            builder
                .policy(Policy::AsAdded)
                .failure_policy(policy)
                .add_dynamic(trace.failing("fails").writes("R"))
                .add_dynamic(trace.system("next").writes("R"));
        }
    };
    check(declare(Stop), vec!["fails"], &["fails"], &["next"]);
    check(
        declare(SkipDependents),
        vec!["fails", "next"],
        &["fails"],
        &[],
    );
}

#[test]
fn with_one_thread_a_stop_skips_all_that_comes_later() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .failure_policy(Stop)
        .add_dynamic(trace.system("a"))
        .add_dynamic(trace.failing("b"))
        .add_dynamic(trace.system("c"))
        .add_dynamic(trace.failing("d"));
    let mut schedule = builder.build().unwrap();
    On::Serial.set(&mut schedule);
    let (ran, error) = trace.of_failure(&mut schedule, &mut Resources::new());
    assert_eq!(ran, ["a", "b"]);
    assert_eq!(names_of_failed(&error), ["b"]);
    assert_eq!(names_of_skipped(&error), ["c", "d"]);
}

/// Twenty systems that nothing orders, of which two fail, and one after each of those.
#[test]
fn after_a_stop_every_system_has_run_or_is_named_as_skipped() {
    for &on in On::ALL {
        let trace = Trace::default();
        let mut builder = Schedule::builder();
        builder.failure_policy(Stop);
        for idx in 0..20 {
            let name = format!("{idx:02}");
            builder.add_dynamic(if idx % 10 == 4 {
                trace.failing(&name)
            } else {
                trace.system(&name)
            });
        }
        for name in ["04", "14"] {
            let after = format!("{name} after");
            builder
                .add_dynamic(trace.system(&after))
                .order(name, &*after);
        }
        let mut schedule = builder.build().unwrap();
        on.set(&mut schedule);
        let order: Vec<String> = schedule.systems().map(ToString::to_string).collect();
        for _ in 0..N_REPEATS {
            let error = schedule.run(&mut Resources::new()).unwrap_err();
            let (ran, skipped) = (trace.take(), names_of_skipped(&error));
            let has_run = |name: &&String| ran.contains(name);
            let (mut ran_in_order, mut rest) = (Vec::new(), Vec::new());
            for name in &order {
                if has_run(&name) {
                    &mut ran_in_order
                } else {
                    &mut rest
                }
                .push(name.clone());
            }
            assert_eq!(ran.len(), ran_in_order.len(), "{on:?}: each once");
            assert_eq!(skipped, rest, "{on:?}");
            assert!(skipped.iter().any(|name| name == "04 after"), "{on:?}");
            assert!(skipped.iter().any(|name| name == "14 after"), "{on:?}");
            ran_in_order.retain(|name| name.ends_with('4'));
            assert_eq!(names_of_failed(&error), ran_in_order, "{on:?}");
        }
    }
}

#[test]
fn the_run_after_a_stop_is_whole_again() {
    for &on in On::ALL {
        let mut builder = Schedule::builder();
        let trace = Trace::default();
        builder
            .failure_policy(Stop)
            .add_closure(
                "fails once",
                |mut has_failed: Local<bool>| match std::mem::replace(&mut *has_failed, true) {
                    false => Err("once"),
                    true => Ok(()),
                },
            )
            .add_dynamic(trace.system("after"))
            .order("fails once", "after")
            .add_dynamic(trace.system("last"))
            .order("after", "last");
        let mut schedule = builder.build().unwrap();
        on.set(&mut schedule);
        let resources = &mut Resources::new();
        assert_eq!(failures(schedule.run(resources)), ["fails once: once"]);
        assert!(trace.take().is_empty());
        for _ in 0..2 {
            schedule.run(resources).unwrap();
            assert_eq!(trace.take(), ["after", "last"], "{on:?}");
        }
    }
}

#[test]
fn the_policy_of_a_system_goes_before_that_of_the_schedule() {
    check(
        |trace, builder| {
            chain(trace, builder);
            builder
                .failure_policy(Stop)
                .failure_policy_for("fails", CarryOn);
        },
        vec!["fails", "next", "last", "free"],
        &["fails"],
        &[],
    );
    check(
        |trace, builder| {
            chain(trace, builder);
            builder
                .failure_policy_for("fails", SkipDependents)
                .failure_policy(CarryOn);
        },
        vec!["fails", "free"],
        &["fails"],
        &["next", "last"],
    );
}

/// One of each kind. The one that stops comes behind all the others, and depends on none that fails.
#[test]
fn policies_of_three_kinds_hold_in_one_run() {
    check(
        |trace, builder| {
            builder
                .policy_for_resource("R", Policy::AsAdded)
                .add_dynamic(trace.failing("skips").writes("R"))
                .add_dynamic(trace.system("skipped"))
                .order("skips", "skipped")
                .add_dynamic(trace.failing("carries on"))
                .failure_policy_for("carries on", CarryOn)
                .add_dynamic(trace.system("carried on"))
                .order("carries on", "carried on")
                .checkpoint::<Noon>()
                .add_dynamic(trace.system("beside"))
                .before::<Noon>()
                .order("carried on", Target::of::<Noon>())
                .add_dynamic(trace.failing("stops").reads("R"))
                .after::<Noon>()
                .failure_policy_for("stops", Stop)
                .add_dynamic(trace.failing("stopped"))
                .order("stops", "stopped")
                .add_dynamic(trace.system("last"))
                .order("stopped", "last");
        },
        vec!["skips", "carries on", "carried on", "beside", "stops"],
        &["skips", "carries on", "stops"],
        &["skipped", "stopped", "last"],
    );
}

#[test]
fn a_policy_is_chosen_by_a_type_a_name_or_a_node() {
    type Choose = fn(&mut Builder);
    let ways: [Choose; 3] = [
        |builder| {
            builder.failure_policy_for(Target::of::<mint>(), CarryOn);
        },
        |builder| {
            builder.failure_policy_for("mint", CarryOn);
        },
        |builder| {
            let mint = builder.last().unwrap();
            builder.failure_policy_for(mint, CarryOn);
        },
    ];
    for choose in ways {
        let trace = Trace::default();
        let mut builder = Schedule::builder();
        builder.add::<mint>();
        choose(&mut builder);
        builder.add_dynamic(trace.system("after")).after::<mint>();
        let mut schedule = builder.build().unwrap();
        for _ in 0..2 {
            let error = schedule.run(&mut Resources::new()).unwrap_err();
            assert_eq!(names_of_failed(&error), ["mint"]);
            assert_eq!(trace.take(), ["after"]);
        }
    }
}

#[test]
fn of_two_that_stand_for_one_function_each_has_its_own_policy() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder.add::<mint>();
    let first = builder.last().unwrap();
    builder.add::<mint>();
    let second = builder.last().unwrap();
    builder.add_dynamic(trace.system("after first"));
    builder.order(first, "after first");
    builder.add_dynamic(trace.system("after second"));
    builder.order(second, "after second");
    builder.failure_policy_for(second, CarryOn);
    let mut schedule = builder.build().unwrap();
    let error = schedule.run(&mut Resources::new()).unwrap_err();
    assert_eq!(names_of_failed(&error), ["mint", "mint"]);
    assert_eq!(trace.take(), ["after second"]);
}

/// An error, a panic, and a resource that is missing by now.
#[test]
fn however_a_system_fails_its_policy_holds() {
    type Fail = fn(Option<&Gold>) -> Result<(), &'static str>;
    let ways: [Option<Fail>; 3] = [Some(|_| Err("no")), Some(|_| panic!("no")), None];
    for &on in On::ALL {
        for way in ways {
            for (policy, expected) in [(SkipDependents, 0), (CarryOn, 1), (Stop, 0)] {
                let trace = Trace::default();
                let mut builder = Schedule::builder();
                match way {
                    Some(fail) => {
                        builder.add_closure("fails", move |gold: Option<&Gold>| fail(gold));
                    }
                    None => {
                        builder
                            .add_closure("melts", |resources: &mut Resources| {
                                resources.remove::<Gold>();
                            })
                            .add_closure("fails", |_: &Gold| ())
                            .order("melts", "fails");
                    }
                }
                builder
                    .failure_policy_for("fails", policy)
                    .add_dynamic(trace.system("after"))
                    .order("fails", "after");
                if way.is_none() {
                    builder.order("melts", "after");
                }
                let mut schedule = builder.build().unwrap();
                on.set(&mut schedule);
                let mut resources = Resources::new();
                for _ in 0..N_REPEATS {
                    resources.insert(Gold(1));
                    let error = schedule.run(&mut resources).unwrap_err();
                    assert_eq!(names_of_failed(&error), ["fails"]);
                    let cause = &error.failures()[0].cause;
                    assert_eq!(matches!(cause, Cause::Missing(_)), way.is_none());
                    assert_eq!(trace.take().len(), expected, "{on:?} {policy} {cause}");
                    assert_eq!(error.skipped().len(), 1 - expected);
                }
            }
        }
    }
}

fn add_to_r(resources: &mut Resources, amount: i64) {
    *resources.get_named_mut::<i64>("R").unwrap() += amount;
}

#[test]
fn commands_of_a_failed_system_are_dropped_under_every_policy() {
    for &on in On::ALL {
        for policy in [SkipDependents, CarryOn, Stop] {
            let mut schedule = Schedule::builder()
                .failure_policy(policy)
                .add_closure("before", |mut commands: Commands| {
                    commands.push(|resources| add_to_r(resources, 1));
                })
                .add::<mint>()
                .order("before", "mint")
                .add_closure("after", |mut commands: Commands| {
                    commands.push(|resources| add_to_r(resources, 10));
                })
                .order("mint", "after")
                .build()
                .unwrap();
            on.set(&mut schedule);
            let mut resources = named(&["R"]);
            schedule.run(&mut resources).unwrap_err();
            assert!(!resources.contains::<Gold>());
            let expected: i64 = if policy == CarryOn { 11 } else { 1 };
            assert_eq!(resources.get_named("R"), Some(&expected), "{on:?} {policy}");
        }
    }
}

#[test]
fn a_stop_by_a_system_that_runs_alone_stops_the_others() {
    check(
        |trace, builder| {
            builder
                .policy(Policy::AsAdded)
                .add_dynamic(trace.system("before"))
                .add_dynamic(trace.failing("alone").exclusive())
                .failure_policy_for("alone", Stop)
                .add_dynamic(trace.system("after"))
                .add_dynamic(trace.system("alone too").exclusive())
                .add_dynamic(trace.system("here").on_main_thread());
        },
        vec!["before", "alone"],
        &["alone"],
        &["after", "alone too", "here"],
    );
}

#[test]
fn a_system_that_runs_alone_is_stopped() {
    check(
        |trace, builder| {
            builder
                .policy(Policy::AsAdded)
                .failure_policy(Stop)
                .add_dynamic(trace.failing("fails"))
                .add_dynamic(trace.system("alone").exclusive())
                .add_dynamic(trace.system("here").on_main_thread())
                .add_dynamic(trace.system("after"));
        },
        vec!["fails"],
        &["fails"],
        &["alone", "here", "after"],
    );
}

const FILE: &str = file!();

/// Adds a system that does nothing, and returns the line where that was said.
#[track_caller]
fn add(builder: &mut Builder, name: &str) -> u32 {
    builder.add_dynamic(Trace::default().system(name));
    Location::caller().line()
}

#[track_caller]
fn choose(builder: &mut Builder, target: impl Into<Target>, policy: FailurePolicy) -> u32 {
    builder.failure_policy_for(target, policy);
    Location::caller().line()
}

fn text(builder: &mut Builder) -> String {
    builder.build().unwrap_err().to_string()
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn a_system_with_two_policies_is_told_with_both_places() {
    let builder = &mut Schedule::builder();
    let a = add(builder, "a");
    let first = choose(builder, "a", Stop);
    let second = choose(builder, builder.last().unwrap(), CarryOn);
    assert_eq!(
        text(builder),
        format!(
            "1 problem in schedule `schedule`\n  \
             the failure of `a` ({FILE}:{a}) has two policies: stop at {FILE}:{first} and carry on at {FILE}:{second}"
        )
    );
}

#[test]
fn a_policy_that_is_chosen_twice_is_one() {
    check(
        |trace, builder| {
            chain(trace, builder);
            builder
                .failure_policy_for("fails", CarryOn)
                .failure_policy_for("fails", CarryOn);
        },
        vec!["fails", "next", "last", "free"],
        &["fails"],
        &[],
    );
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn a_policy_of_a_group_is_refused() {
    let builder = &mut Schedule::builder();
    builder.group::<Day>();
    let line = choose(builder, Target::of::<Day>(), Stop);
    let text = text(builder);
    assert!(
        text.starts_with(&format!(
            "1 problem in schedule `schedule`\n  \
             `Day` is a group, and the policy chosen at {FILE}:{line} is about single systems\n      \
             help: name each system"
        )),
        "{text}"
    );
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn a_policy_of_what_was_never_added_is_told_with_the_nearest_name() {
    let builder = &mut Schedule::builder();
    add(builder, "integrate");
    let near = choose(builder, "integrat", Stop);
    let far = choose(builder, Target::of::<mint>(), CarryOn);
    let text = text(builder);
    assert!(
        text.starts_with(&format!(
            "2 problems in schedule `schedule`\n  \
             `integrat` was never added, but is named at {FILE}:{near}\n      \
             help: add it; or did you mean `integrate`?\n  \
             `mint` was never added, but is named at {FILE}:{far}\n"
        )),
        "{text}"
    );
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn a_policy_of_a_name_that_fits_several_is_told_with_all_of_them() {
    let builder = &mut Schedule::builder();
    let (first, second) = (add(builder, "a"), add(builder, "a"));
    let line = choose(builder, "a", Stop);
    let text = text(builder);
    assert!(
        text.starts_with(&format!(
            "1 problem in schedule `schedule`\n  \
             `a`, named at {FILE}:{line}, fits several:\n      \
             `a` ({FILE}:{first})\n      `a` ({FILE}:{second})\n"
        )),
        "{text}"
    );
}
