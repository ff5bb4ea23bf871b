//! Failures that stop a run: the skipped systems, and the next run.

use schedule::Builder;
use schedule::FailurePolicy::{SkipDependents, Stop};
use schedule::prelude::*;

use super::{N_REPEATS, check, names_of_failed, names_of_skipped};
use crate::failures;
use crate::trace::Trace;
use schedule_tests::on::On;

#[test]
fn skipped_system_with_stop_does_not_stop_the_run() {
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

/// In a chain, so that the order of the run is unique on any number of threads.
#[test]
fn no_system_starts_after_a_stop() {
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

/// `next` runs later only because of a policy, and would run under any other failure policy.
#[test]
fn stop_skips_systems_that_follow_only_in_insertion_order() {
    let declare = |policy| {
        move |trace: &Trace, builder: &mut Builder| {
            builder
                .policy(Policy::InsertionOrder)
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
fn stop_on_one_thread_skips_all_later_systems() {
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

/// Twenty unordered systems, two of which fail, and one system after each of these two.
#[test]
fn every_system_has_run_or_is_reported_as_skipped_after_a_stop() {
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
fn run_after_a_stop_is_complete() {
    for &on in On::ALL {
        let mut builder = Schedule::builder();
        let trace = Trace::default();
        builder
            .failure_policy(Stop)
            .add_closure("fails once", |mut has_failed: Local<bool>| {
                if std::mem::replace(&mut *has_failed, true) {
                    Ok(())
                } else {
                    Err("once")
                }
            })
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
fn stop_by_an_exclusive_system_stops_the_others() {
    check(
        |trace, builder| {
            builder
                .policy(Policy::InsertionOrder)
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
fn stop_skips_an_exclusive_system() {
    check(
        |trace, builder| {
            builder
                .policy(Policy::InsertionOrder)
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
