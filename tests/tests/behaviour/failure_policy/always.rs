//! Systems that run whatever failed before them.

use schedule::FailurePolicy::{CarryOn, SkipDependents, Stop};
use schedule::dynamic::DynamicSystem;
use schedule::error::Problem;
use schedule::prelude::*;
use schedule::{Builder, Condition, Target};

use super::{N_REPEATS, check, names_of_failed, names_of_skipped};
use crate::trace::Trace;
use crate::{Log, failures, take_log, with_log};
use schedule_tests::on::On;

#[derive(Group)]
struct Safety;

#[derive(Group)]
struct Inner;

/// The chain `fails` -> `next` -> `watch` -> `last`, in which `watch` always runs.
fn chain(trace: &Trace, builder: &mut Builder) {
    builder
        .add_dynamic(trace.failing("fails"))
        .add_dynamic(trace.system("next"))
        .add_dynamic(trace.system("watch"))
        .always()
        .add_dynamic(trace.system("last"))
        .order("fails", "next")
        .order("next", "watch")
        .order("watch", "last");
}

#[test]
fn always_changes_only_whether_the_system_itself_runs() {
    check(chain, vec!["fails", "watch"], &["fails"], &["next", "last"]);
}

#[test]
fn always_runs_after_a_stop() {
    check(
        |trace, builder| {
            chain(trace, builder);
            builder.failure_policy(Stop);
        },
        vec!["fails", "watch"],
        &["fails"],
        &["next", "last"],
    );
}

#[test]
fn always_keeps_its_orders() {
    for &on in On::ALL {
        let trace = Trace::default();
        let mut builder = Schedule::builder();
        chain(&trace, &mut builder);
        builder
            .add_dynamic(trace.system("free"))
            .order("free", "watch");
        let mut schedule = builder.build().unwrap();
        on.set(&mut schedule);
        for _ in 0..N_REPEATS {
            schedule.run(&mut Resources::new()).unwrap_err();
            assert_eq!(trace.take().last().unwrap(), "watch", "{on:?}");
        }
    }
}

#[test]
fn disabled_or_guarded_system_does_not_run() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    chain(&trace, &mut builder);
    let mut schedule = builder.build().unwrap();
    schedule.set_enabled("watch", false).unwrap();
    let (ran, error) = trace.of_failure(&mut schedule, &mut Resources::new());
    assert_eq!(ran, ["fails"]);
    assert_eq!(names_of_skipped(&error), ["next", "last"]);
    check(
        |trace, builder| {
            chain(trace, builder);
            builder
                .at("watch")
                .run_if(Condition::closure("never", || false));
        },
        vec!["fails"],
        &["fails"],
        &["next", "last"],
    );
}

#[test]
fn conditions_of_an_always_system_always_run() {
    let declare = |trace: &Trace, builder: &mut Builder| {
        chain(trace, builder);
        builder
            .add_dynamic(trace.condition("set"))
            .add_dynamic(trace.condition("armed"))
            .run_if(Condition::added("set"))
            .order("fails", "set")
            .add_dynamic(trace.system("other"))
            .run_if(Condition::added("armed"));
        builder.at("watch").run_if(Condition::added("armed"));
    };
    // `other` depends on `fails` through the conditions, and is still skipped.
    let ran = || vec!["fails", "set", "armed", "watch"];
    check(declare, ran(), &["fails"], &["next", "last", "other"]);
    check(
        |trace, builder| {
            declare(trace, builder);
            builder.failure_policy(Stop);
        },
        ran(),
        &["fails"],
        &["next", "last", "other"],
    );
}

#[test]
fn a_failed_condition_skips_even_an_always_system() {
    for policy in [CarryOn, Stop, SkipDependents] {
        check(
            |trace, builder| {
                builder
                    .failure_policy(policy)
                    .add_dynamic(trace.failing_condition("armed"))
                    .add_dynamic(trace.system("watch"))
                    .run_if(Condition::added("armed"))
                    .always();
            },
            vec!["armed"],
            &["armed"],
            &["watch"],
        );
    }
}

#[test]
fn always_of_a_group_includes_nested_groups_and_loops() {
    let trace = Trace::default();
    let (in_loop, again) = (trace.clone(), trace.clone());
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.failing("fails"))
        .failure_policy(Stop)
        .group::<Inner>()
        .in_group::<Safety>()
        .group::<Safety>()
        .always()
        .add_dynamic(trace.system("watch"))
        .in_group::<Inner>()
        .order("fails", "watch");
    let mut n_left = 0;
    let is_left = DynamicSystem::new("is_left", move |_: &mut _| {
        again.push("is_left");
        n_left = (n_left + 1) % 3;
        n_left != 0
    });
    builder
        .repeat_while_dynamic(is_left, |body| body.add_dynamic(in_loop.system("step")))
        .in_group::<Safety>()
        .order("watch", "is_left")
        .add_dynamic(trace.system("last"))
        .order("is_left", "last");
    let mut schedule = builder.build().unwrap();
    let (ran, error) = trace.of_failure(&mut schedule, &mut Resources::new());
    let expected = [
        "fails", "watch", "is_left", "step", "is_left", "step", "is_left",
    ];
    assert_eq!(ran, expected);
    assert_eq!(names_of_skipped(&error), ["last"]);
}

#[test]
fn always_of_a_loop_includes_its_body() {
    let trace = Trace::default();
    let body = trace.clone();
    let mut n_left = 0;
    let is_left = DynamicSystem::new("is_left", move |_: &mut _| {
        n_left = (n_left + 1) % 3;
        n_left != 0
    });
    let mut builder = Schedule::builder();
    builder
        .failure_policy(Stop)
        .add_dynamic(trace.failing("fails"))
        .repeat_while_dynamic(is_left, |inside| inside.add_dynamic(body.system("step")))
        .order("fails", "is_left")
        .always();
    let mut schedule = builder.build().unwrap();
    let (ran, error) = trace.of_failure(&mut schedule, &mut Resources::new());
    assert_eq!(ran, ["fails", "step", "step"]);
    assert!(names_of_skipped(&error).is_empty());
}

#[test]
fn always_system_does_not_make_its_loop_run() {
    let trace = Trace::default();
    let body = trace.clone();
    let mut builder = Schedule::builder();
    let mut n = 0;
    let is_left = DynamicSystem::new("is_left", move |_: &mut _| {
        n += 1;
        n % 2 == 1
    });
    builder
        .add_dynamic(trace.failing("fails"))
        .repeat_while_dynamic(is_left, |inside| {
            inside.add_dynamic(body.system("watch")).always()
        })
        .order("fails", "is_left");
    let mut schedule = builder.build().unwrap();
    let (ran, error) = trace.of_failure(&mut schedule, &mut Resources::new());
    assert_eq!(ran, ["fails"]);
    assert_eq!(names_of_skipped(&error), ["is_left", "watch"]);
}

#[test]
fn always_system_runs_in_the_iteration_that_fails() {
    let trace = Trace::default();
    let body = trace.clone();
    let mut builder = Schedule::builder();
    builder.repeat_while_dynamic(DynamicSystem::new("is_left", |_: &mut _| true), |inside| {
        inside
            .add_dynamic(body.failing("fails"))
            .add_dynamic(body.system("watch"))
            .always()
            .order("fails", "watch")
    });
    let mut schedule = builder.build().unwrap();
    let (ran, error) = trace.of_failure(&mut schedule, &mut Resources::new());
    assert_eq!(ran, ["fails", "watch"]);
    assert_eq!(names_of_failed(&error), ["fails"]);
    assert!(names_of_skipped(&error).is_empty());
}

#[system]
fn fail(log: &mut Log) -> Result<(), String> {
    log.push("fail");
    Err("it fails".to_string())
}

#[system(always, after = fail)]
fn watch(log: &mut Log) {
    log.push("watch");
}

#[system]
fn limit(log: &mut Log) {
    log.push("limit");
}

#[system]
fn report(log: &mut Log) {
    log.push("report");
}

schedule! { Flight { fail -> watch -> limit: always -> report } }
schedule! { Grouped { fail -> group Safety: always { group Inner { limit -> watch } } -> report } }
schedule! { Repeated { fail -> repeat while once: always { limit } -> report } }
schedule! { Plugged { include Grouped } }

#[system]
fn once(mut n: Local<u32>) -> bool {
    *n += 1;
    !n.is_multiple_of(2)
}

#[test]
fn attribute_and_clause_declare_always() {
    let run = |mut schedule: Schedule| {
        let mut resources = with_log();
        assert_eq!(failures(schedule.run(&mut resources)), ["fail: it fails"]);
        take_log(&mut resources)
    };
    assert_eq!(run(Flight::new()), ["fail", "watch", "limit"]);
    assert_eq!(run(Grouped::new()), ["fail", "limit", "watch"]);
    assert_eq!(run(Repeated::new()), ["fail", "limit"]);
    assert_eq!(run(Plugged::new()), ["fail", "limit", "watch"]);
}

/// A condition that only a guard names has the option of its attribute, too.
#[system(always, after = fail)]
fn is_armed(log: &mut Log) -> bool {
    log.push("is_armed");
    true
}

#[test]
fn attribute_of_an_implied_condition_counts() {
    let mut builder = Schedule::builder();
    builder.add::<fail>().add::<limit>();
    builder
        .after::<is_armed>()
        .run_if(Condition::of::<is_armed>());
    let mut schedule = builder.build().unwrap();
    let mut resources = with_log();
    schedule.run(&mut resources).unwrap_err();
    assert_eq!(take_log(&mut resources), ["fail", "is_armed"]);
}

#[test]
fn always_can_be_changed() {
    let mut schedule = Flight::new();
    let run = |schedule: &mut Schedule| {
        let mut resources = with_log();
        schedule.run(&mut resources).unwrap_err();
        take_log(&mut resources)
    };
    schedule
        .change(|all| all.at(Target::of::<watch>()).clear_always())
        .unwrap();
    assert_eq!(run(&mut schedule), ["fail", "limit"]);
    schedule
        .change(|all| {
            all.at("report")
                .in_group::<Safety>()
                .group::<Safety>()
                .always()
        })
        .unwrap();
    assert_eq!(run(&mut schedule), ["fail", "limit", "report"]);
    schedule
        .change(|all| all.group::<Safety>().clear_always())
        .unwrap();
    assert_eq!(run(&mut schedule), ["fail", "limit"]);
    let error = schedule
        .change(|all| all.group::<Safety>().clear_always())
        .unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::NotDeclared { .. }]),
        "{error}"
    );
    let text = error.to_string();
    assert!(text.contains("cannot clear `always` of `Safety`"), "{text}");
}

#[test]
fn clearing_one_mark_of_a_group_keeps_the_others() {
    #[derive(Resource)]
    struct Absent;
    #[system]
    fn fail() -> Result<(), BoxError> {
        Err("it fails".into())
    }
    #[system(after = fail)]
    fn take(_: &Absent) {}
    let mut builder = Schedule::builder();
    builder.add::<fail>().add::<take>().in_group::<Safety>();
    builder
        .group::<Safety>()
        .always()
        .skip_if_missing()
        .clear_always();
    let error = builder
        .build()
        .unwrap()
        .run(&mut Resources::new())
        .unwrap_err();
    // The missing resource does not refuse the run, and the failure skips the member.
    assert_eq!(error.skipped()[0].name, "take");
    assert_eq!(error.failures()[0].system.name, "fail");
}

#[derive(Checkpoint)]
struct Ready;

#[test]
fn checkpoints_and_sync_points_cannot_always_run() {
    let mut builder = Schedule::builder();
    builder.checkpoint::<Ready>().always();
    builder.apply_commands::<Ready>().named("apply").always();
    let error = builder.build().unwrap_err();
    let problems = error.problems();
    assert!(
        matches!(
            problems,
            [Problem::NotApplicable { .. }, Problem::NotApplicable { .. }]
        ),
        "{error}"
    );
    let text = error.to_string();
    assert!(text.contains("`apply` cannot have `always` at"), "{text}");
}
