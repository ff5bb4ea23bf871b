//! Missing resources that skip only the systems that require them.

use schedule::FailurePolicy::{CarryOn, SkipDependents, Stop};
use schedule::error::{Cause, Problem};
use schedule::prelude::*;
use schedule::{Builder, Condition, MissingPolicy, RunError, Target};

use crate::trace::Trace;
use crate::{Log, failures, take_log, with_log};
use schedule_tests::on::On;

#[derive(Resource)]
struct Camera;

#[derive(Resource)]
struct Radio;

#[system]
fn film(_: &mut Camera, log: &mut Log) {
    log.push("film");
}

#[system]
fn send(_: &mut Camera, _: &Radio, log: &mut Log) {
    log.push("send");
}

#[system]
fn listen(radio: Option<&Radio>, log: &mut Log) {
    log.push(if radio.is_some() { "radio" } else { "silence" });
}

#[system]
fn fly(log: &mut Log) {
    log.push("fly");
}

fn names(error: &RunError) -> (Vec<String>, Vec<String>) {
    let failed = error
        .failures()
        .iter()
        .map(|one| one.system.name.clone())
        .collect();
    let skipped = error.skipped().iter();
    (failed, skipped.map(|one| one.name.clone()).collect())
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

/// Runs twice on each executor, and then once with all resources.
#[track_caller]
fn check(declare: impl Fn(&mut Builder), ran: &[&str], failed: &[&str], skipped: &[&str]) {
    for &on in On::ALL {
        let mut builder = Schedule::builder();
        declare(&mut builder);
        let mut schedule = builder.build().unwrap();
        on.set(&mut schedule);
        let mut resources = with_log();
        for _ in 0..2 {
            let error = schedule.run(&mut resources).unwrap_err();
            assert_eq!(take_log(&mut resources), ran, "{on:?}");
            assert_eq!(names(&error), (strings(failed), strings(skipped)), "{on:?}");
        }
        resources.insert(Camera);
        resources.insert(Radio);
        schedule.run(&mut resources).unwrap();
    }
}

fn chain(builder: &mut Builder) {
    builder.chain::<(film, send, listen, fly)>();
}

#[test]
fn the_default_refuses_the_run() {
    let mut builder = Schedule::builder();
    chain(&mut builder);
    let mut schedule = builder.build().unwrap();
    let mut resources = with_log();
    let error = schedule.run(&mut resources).unwrap_err();
    assert!(
        matches!(&error, RunError::Missing(missing) if missing.len() == 2),
        "{error}"
    );
    assert_eq!(MissingPolicy::default(), MissingPolicy::Refuse);
    let error = schedule
        .change(|all| {
            all.missing_policy(MissingPolicy::Skip)
                .missing_policy(MissingPolicy::Refuse)
        })
        .map(|()| schedule.run(&mut resources).unwrap_err())
        .unwrap();
    assert!(matches!(error, RunError::Missing(_)), "{error}");
    assert_eq!(take_log(&mut resources), [""; 0]);
}

#[test]
fn systems_that_require_a_missing_resource_fail_alone() {
    check(
        |all| {
            chain(all);
            all.missing_policy(MissingPolicy::Skip)
                .failure_policy(CarryOn);
        },
        &["silence", "fly"],
        &["film", "send"],
        &[],
    );
}

#[test]
fn the_failure_policy_decides_about_dependents() {
    check(
        |all| {
            chain(all);
            all.missing_policy(MissingPolicy::Skip);
        },
        &[],
        &["film"],
        &["send", "listen", "fly"],
    );
    check(
        |all| {
            all.missing_policy(MissingPolicy::Skip)
                .policy(Policy::InsertionOrder)
                .failure_policy_for(Target::of::<film>(), Stop);
            all.add::<fly>()
                .add::<film>()
                .add::<listen>()
                .after::<fly>()
                .always();
        },
        &["fly", "silence"],
        &["film"],
        &[],
    );
}

#[test]
fn only_marked_systems_skip() {
    let declare = |all: &mut Builder| {
        all.failure_policy(CarryOn)
            .policy(Policy::InsertionOrder)
            .add::<film>()
            .skip_if_missing()
            .add::<send>()
            .add::<fly>();
    };
    let mut builder = Schedule::builder();
    declare(&mut builder);
    let mut schedule = builder.build().unwrap();
    let mut resources = with_log();
    let error = schedule.run(&mut resources).unwrap_err();
    let RunError::Missing(missing) = &error else {
        panic!("{error}");
    };
    // `film` also requires the camera, but does not refuse the run.
    let needed = missing
        .iter()
        .map(|one| one.needed_by.iter().map(|one| &*one.name));
    assert_eq!(needed.flatten().collect::<Vec<_>>(), ["send", "send"]);
    schedule
        .change(|all| all.remove(Target::of::<send>()))
        .unwrap();
    let error = schedule.run(&mut resources).unwrap_err();
    assert_eq!(names(&error).0, ["film"]);
    assert_eq!(take_log(&mut resources), ["fly"]);
    schedule
        .change(|all| all.at(Target::of::<film>()).clear_skip_if_missing())
        .unwrap();
    assert!(matches!(
        schedule.run(&mut resources),
        Err(RunError::Missing(_))
    ));
    let error = schedule
        .change(|all| all.at(Target::of::<film>()).clear_skip_if_missing())
        .unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::NotDeclared { .. }]),
        "{error}"
    );
}

#[test]
fn the_cause_says_what_is_missing() {
    let mut builder = Schedule::builder();
    builder.add::<film>().skip_if_missing();
    let mut schedule = builder.build().unwrap();
    let error = schedule.run(&mut with_log()).unwrap_err();
    assert!(
        matches!(&error.failures()[0].cause, Cause::Absent(resource) if resource.to_string() == "Camera")
    );
    let text = "film: resource `Camera` is missing: the system does not run until it is inserted";
    assert_eq!(failures(Err(error)), [text]);
}

#[system]
fn has_signal(_: &Radio) -> bool {
    true
}

#[test]
fn condition_that_misses_a_resource_skips_what_it_guards() {
    for policy in [CarryOn, SkipDependents] {
        let mut builder = Schedule::builder();
        builder
            .missing_policy(MissingPolicy::Skip)
            .failure_policy(policy)
            .policy(Policy::InsertionOrder)
            .add::<has_signal>()
            .add::<fly>()
            .run_if(Condition::of::<has_signal>())
            .add::<listen>();
        let mut schedule = builder.build().unwrap();
        let mut resources = with_log();
        let error = schedule.run(&mut resources).unwrap_err();
        assert_eq!(take_log(&mut resources), ["silence"]);
        assert_eq!(
            names(&error),
            (strings(&["has_signal"]), strings(&["fly"])),
            "{policy}"
        );
    }
}

/// A condition that is not added cannot be marked, so it follows what it guards.
#[test]
fn implied_condition_skips_if_all_that_it_guards_does() {
    let run = |mark: fn(&mut Builder)| {
        let mut builder = Schedule::builder();
        builder.policy(Policy::InsertionOrder);
        builder
            .add::<fly>()
            .run_if(Condition::of::<has_signal>())
            .skip_if_missing();
        builder
            .add::<listen>()
            .run_if(Condition::of::<has_signal>());
        mark(&mut builder);
        builder.build().unwrap().run(&mut with_log()).unwrap_err()
    };
    assert!(matches!(run(|_| ()), RunError::Missing(_)));
    let error = run(|builder| _ = builder.skip_if_missing());
    assert_eq!(
        names(&error),
        (strings(&["has_signal"]), strings(&["fly", "listen"]))
    );
}

#[derive(Group)]
struct Outer;

#[derive(Group)]
struct Inner;

#[test]
fn groups_and_loops_skip_all_that_they_contain() {
    let trace = Trace::default();
    let in_loop = trace.system("film").reads("camera");
    let mut builder = Schedule::builder();
    builder
        .group::<Inner>()
        .in_group::<Outer>()
        .group::<Outer>()
        .skip_if_missing()
        .add_dynamic(trace.system("send").writes("radio"))
        .in_group::<Inner>()
        .repeat_while_dynamic(trace.condition("again"), |body| body.add_dynamic(in_loop))
        .in_group::<Outer>()
        .add_dynamic(trace.system("fly"));
    let mut schedule = builder.build().unwrap();
    let (ran, error) = trace.of_failure(&mut schedule, &mut Resources::new());
    assert_eq!(ran, ["again", "fly"]);
    assert_eq!(names(&error).0, ["send", "film"]);
}

#[test]
fn always_system_that_misses_a_resource_does_not_run() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .missing_policy(MissingPolicy::Skip)
        .add_dynamic(trace.system("watch").reads("camera"))
        .always()
        .add_dynamic(trace.system("fly"));
    let mut schedule = builder.build().unwrap();
    let (ran, error) = trace.of_failure(&mut schedule, &mut Resources::new());
    assert_eq!(ran, ["fly"]);
    assert_eq!(names(&error).0, ["watch"]);
}

#[test]
fn a_plugin_has_a_setting_of_its_own() {
    let mut film_only = Schedule::builder();
    film_only.missing_policy(MissingPolicy::Skip).add::<film>();
    let mut builder = Schedule::builder();
    builder.policy(Policy::InsertionOrder);
    builder.include(film_only).add::<fly>();
    let mut schedule = builder.build().unwrap();
    let mut resources = with_log();
    assert_eq!(
        names(&schedule.run(&mut resources).unwrap_err()).0,
        ["film"]
    );
    schedule.change(|all| all.add::<send>()).unwrap();
    assert!(matches!(
        schedule.run(&mut resources),
        Err(RunError::Missing(_))
    ));
}

#[test]
fn resource_that_is_inserted_during_the_run_is_found() {
    #[derive(Checkpoint)]
    struct Ready;
    #[system(before = Ready)]
    fn start(mut commands: Commands) {
        commands.insert(Camera);
    }
    #[system(after = Ready)]
    fn late(_: &mut Camera, log: &mut Log) {
        log.push("late");
    }
    let mut builder = Schedule::builder();
    builder.missing_policy(MissingPolicy::Skip);
    builder
        .add::<start>()
        .apply_commands::<Ready>()
        .add::<late>();
    let mut resources = with_log();
    builder.build().unwrap().run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["late"]);
}

schedule! { Whole { on missing skip, on failure carry on, film -> fly } }
schedule! { One { on failure carry on, film: on missing skip -> fly } }
schedule! { Grouped { on failure carry on, group Outer: on missing skip { film } -> fly } }
schedule! { Including { include One -> listen } }
schedule! { Refusing { on missing refuse, film -> fly } }

#[test]
fn listed_settings_are_those_of_the_builder() {
    let run = |mut schedule: Schedule| {
        let mut resources = with_log();
        let error = schedule.run(&mut resources).unwrap_err();
        (names(&error).0, take_log(&mut resources))
    };
    let expected = (strings(&["film"]), vec!["fly"]);
    assert_eq!(run(Whole::new()), expected);
    assert_eq!(run(One::new()), expected);
    assert_eq!(run(Grouped::new()), expected);
    assert_eq!(
        run(Including::new()),
        (strings(&["film"]), vec!["fly", "silence"])
    );
    assert_eq!(run(Refusing::new()), (strings(&[]), vec![]));
    let mut replaced = Whole::builder();
    replaced.missing_policy(MissingPolicy::Refuse);
    assert_eq!(run(replaced.build().unwrap()), (strings(&[]), vec![]));
}
