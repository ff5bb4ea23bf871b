//! The effect of a failed system on the others.

mod always;
mod choosing;
mod past;
mod stop;

use schedule::error::Cause;
use schedule::prelude::*;
use schedule::{Builder, FailurePolicy, RunError, Target};

use crate::trace::{Trace, named};
use schedule_tests::on::On;

use FailurePolicy::{CarryOn, SkipDependents, Stop};

#[derive(Checkpoint)]
struct Noon;

#[derive(Debug, PartialEq, Resource)]
struct Gold(u32);

#[system]
fn mint(mut commands: Commands) -> Result<(), &'static str> {
    commands.insert(Gold(1));
    Err("no")
}

/// Number of consecutive runs.
const N_REPEATS: usize = if cfg!(miri) { 1 } else { 3 };

/// Runs several times on every executor. Checks which systems ran, in any order, and which systems failed or were skipped, in the order of
/// the schedule.
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

/// The chain `fails` -> `next` -> `last`, and the unordered system `free`.
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
fn carry_on_policy_of_the_schedule_runs_all_other_systems() {
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
fn reader_runs_after_a_failed_writer_that_carries_on() {
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
fn carry_on_policy_of_one_system_does_not_affect_others() {
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
fn skip_policy_of_one_system_does_not_affect_others() {
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
fn system_after_two_failures_is_skipped_unless_both_carry_on() {
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

/// The system was skipped and did not fail, so its own policy does not apply.
#[test]
fn skipped_system_with_carry_on_still_skips_its_dependents() {
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

/// One system of each kind. The system that stops the run comes last and does not depend on a failed one.
#[test]
fn three_failure_policies_apply_in_one_run() {
    check(
        |trace, builder| {
            builder
                .policy_for_resource("R", Policy::InsertionOrder)
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

/// Fails with an error, with a panic, and because a resource is missing.
#[test]
fn failure_policy_applies_to_every_kind_of_failure() {
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
