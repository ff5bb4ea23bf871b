//! Refused runs: a resource is missing, and systems that always run still run.

use std::ops::ControlFlow;
use std::time::Duration;

use schedule::driver::SimulatedTimer;
use schedule::param::{Failures, Inserts};
use schedule::prelude::*;
use schedule::rate::{RateCounts, is_due};
use schedule::replay::{RecordedResources, Recorder, ReplayError, Replayer};
use schedule::{Driver, RunError};

use crate::{Log, take_log, with_log};
use schedule_tests::child::Child;
use schedule_tests::on::On;

const MS: Duration = Duration::from_millis(1);

#[derive(Group)]
struct Control;

#[derive(Group)]
struct Vision;

#[derive(Group)]
struct Safety;

#[derive(Checkpoint)]
struct Raised;

#[derive(Resource)]
struct Camera;

#[derive(Resource)]
struct Radio;

#[derive(Resource)]
struct Alarm;

/// The number of iterations that are left.
#[derive(Resource, Default)]
struct Left(u32);

#[system]
fn see(_: &Camera, log: &mut Log) {
    log.push("see");
}

#[system]
fn act(log: &mut Log) {
    log.push("act");
}

#[system]
fn watch(failures: Failures, log: &mut Log, mut commands: Commands) {
    let names: Vec<_> = failures.skipped().iter().map(|one| &*one.name).collect();
    log.push(match &names[..] {
        [] => "watch",
        ["see", "act"] => "watch without see and act",
        other => panic!("{other:?}"),
    });
    commands.insert(Alarm);
}

#[system]
fn report(_: &Radio, log: &mut Log) {
    log.push("report");
}

#[system]
fn is_armed(_: &Radio) -> bool {
    true
}

#[system]
fn is_left(left: &mut Left) -> bool {
    left.0 = left.0.saturating_sub(1);
    left.0 > 0
}

#[system]
fn step(log: &mut Log) {
    log.push("step");
}

#[system]
fn last_step(_: &Radio, left: &mut Left) {
    left.0 = 0;
}

#[system]
fn fail() -> Result<(), &'static str> {
    Err("no")
}

schedule! { Watched { see -> act -> watch: always } }

fn ran(error: &RunError) -> Vec<&str> {
    let RunError::Missing(missing) = error else {
        panic!("{error}");
    };
    missing.ran.iter().map(|system| &*system.name).collect()
}

/// Runs twice on each executor without the camera. Returns the error of the last run.
#[track_caller]
fn refused(schedule: impl Fn() -> Schedule, resources: impl Fn() -> Resources, log: &[&str]) {
    for &on in On::ALL {
        let mut schedule = schedule();
        on.set(&mut schedule);
        let mut resources = resources();
        for _ in 0..2 {
            schedule.run(&mut resources).unwrap_err();
            assert_eq!(take_log(&mut resources), log, "{on:?}");
        }
    }
}

#[test]
fn refused_run_runs_always_systems_and_names_them() {
    for &on in On::ALL {
        let mut schedule = Watched::new();
        on.set(&mut schedule);
        let mut resources = with_log();
        for _ in 0..2 {
            let error = schedule.run(&mut resources).unwrap_err();
            assert_eq!(ran(&error), ["watch"]);
            assert!(error.failures().is_empty() && error.skipped().is_empty());
            let text = error.to_string();
            let head = "1 resource is missing; only systems that run `always` ran\n  `Camera`, needed by `see`";
            assert!(text.starts_with(head), "{text}");
            assert!(text.contains("\nran: `watch` ("), "{text}");
            assert_eq!(take_log(&mut resources), ["watch without see and act"]);
            // Its commands are applied.
            assert!(resources.remove::<Alarm>().is_some());
        }
        resources.insert(Camera);
        schedule.run(&mut resources).unwrap();
        assert_eq!(take_log(&mut resources), ["see", "act", "watch"], "{on:?}");
        resources.remove::<Camera>();
        schedule.set_enabled("watch", false).unwrap();
        let error = schedule.run(&mut resources).unwrap_err();
        assert!(error.to_string().contains("; no system ran\n"), "{error}");
        assert_eq!(take_log(&mut resources), [""; 0]);
    }
}

#[test]
fn always_system_without_its_own_resource_does_not_run() {
    schedule! { Reporting { see -> report: always -> step: always } }
    refused(Reporting::new, with_log, &["step"]);
    let error = Reporting::new().run(&mut with_log()).unwrap_err();
    assert_eq!(ran(&error), ["step"]);
    assert!(error.failures().is_empty(), "{error}");

    // A condition that misses a resource has no answer.
    schedule! { Guarded { see, act: after see if is_armed always, step: after act always } }
    refused(Guarded::new, with_log, &["step"]);
}

#[test]
fn failure_of_an_always_system_is_reported() {
    schedule! { Failing { see, fail: always, step: after see always } }
    let mut resources = with_log();
    let error = Failing::new().run(&mut resources).unwrap_err();
    assert_eq!(ran(&error), ["fail", "step"]);
    assert_eq!(error.failures()[0].cause.to_string(), "no");
    assert!(
        error.to_string().contains("\n1 system failed\n  `fail` ("),
        "{error}"
    );
}

#[test]
fn loop_that_always_runs_needs_the_resources_of_its_body() {
    let resources = || {
        let mut resources = with_log();
        resources.insert(Left(3));
        resources
    };
    schedule! { Stepping { see, repeat while is_left: after see always { step } } }
    for &on in On::ALL {
        let mut schedule = Stepping::new();
        on.set(&mut schedule);
        let mut resources = resources();
        let error = schedule.run(&mut resources).unwrap_err();
        assert_eq!(ran(&error), ["is_left", "step"]);
        assert_eq!(take_log(&mut resources), ["step", "step"], "{on:?}");
        // Without an iteration, the body has not run.
        let error = schedule.run(&mut resources).unwrap_err();
        assert_eq!(ran(&error), ["is_left"]);
    }

    // Without `last_step`, the loop would not end.
    #[system]
    fn goes_on(left: &Left) -> bool {
        left.0 > 0
    }
    schedule! { Endless { see, repeat while goes_on: after see always { step -> last_step } } }
    Child::new(move || refused(Endless::new, resources, &[]))
        .label("body")
        .run();

    // The same, because its condition has no answer.
    #[system]
    fn end(left: &mut Left) {
        left.0 = 0;
    }
    schedule! {
        Disarmed {
            see,
            is_armed,
            repeat while goes_on: after see always { step -> end: if is_armed },
        }
    }
    Child::new(move || refused(Disarmed::new, resources, &[]))
        .label("condition")
        .run();
}

#[test]
fn sync_point_of_an_always_group_applies_commands_of_a_refused_run() {
    #[system]
    fn raise(mut commands: Commands<Inserts<Alarm>>) {
        commands.insert(Alarm);
    }
    #[system]
    fn ring(_: &Alarm, log: &mut Log) {
        log.push("ring");
    }
    #[system]
    fn silence(mut commands: Commands) {
        commands.remove::<Alarm>();
    }
    schedule! {
        Alarming {
            see,
            group Safety: after see always { raise -> apply_commands Raised -> ring -> silence },
        }
    }
    refused(Alarming::new, with_log, &["ring"]);
}

schedule! {
    Flight {
        group Control: if is_due<Control>,
        group Vision: if is_due<Vision>,
        look: in Vision,
        lose: in Control after look,
        count: in Control after lose always,
    }
}

#[derive(Resource, Default)]
struct Counted(u64);

#[system]
fn look(_: &Camera) {}

#[system]
fn lose(clock: &Clock, mut commands: Commands) {
    if clock.now() == 50 * MS {
        commands.remove::<Camera>();
    }
}

#[system]
fn count(counted: &mut Counted) {
    counted.0 += 1;
}

/// Drives the flight for 200 ms. The camera disappears after 50 ms, and is back at 150 ms if `returns`.
fn fly(on: On, vision: Rate<Vision>, returns: bool) -> (u64, [RateCounts; 2], u64) {
    let timer = SimulatedTimer::new().until(200 * MS);
    let mut resources = Resources::new();
    resources.insert(Clock::new());
    resources.insert(Rate::<Control>::hertz(1000.0));
    resources.insert(vision);
    resources.insert(Camera);
    resources.insert_default::<Counted>();
    let mut schedule = Flight::new();
    on.set(&mut schedule);
    let mut driver = Driver::with_timer(schedule, timer)
        .on_error(|_, _| ControlFlow::Continue(()))
        .with_run(move |schedule, resources| {
            if returns && resources.get::<Clock>().unwrap().now() == 150 * MS {
                resources.insert(Camera);
            }
            schedule.run(resources)
        });
    driver.run(&mut resources).unwrap();
    let counts = [
        resources.get::<Rate<Control>>().unwrap().counts(),
        resources.get::<Rate<Vision>>().unwrap().counts(),
    ];
    let n_failed = driver.stats().n_failed;
    (resources.get::<Counted>().unwrap().0, counts, n_failed)
}

#[test]
fn watchdog_runs_at_each_due_time_and_due_times_of_other_rates_fail() {
    for &on in On::EACH {
        for catches_up in [false, true] {
            let vision = || {
                if catches_up {
                    Rate::hertz(25.0).catch_up(9)
                } else {
                    Rate::hertz(25.0)
                }
            };
            let (n_counted, [control, vision_counts], n_failed) = fly(on, vision(), false);
            assert_eq!((n_counted, n_failed), (200, 149), "{on:?}");
            assert_eq!((control.on_time, control.total()), (200, 200));
            // Due at 0 and 40 ms, and without the camera at 80, 120 and 160 ms.
            assert_eq!((vision_counts.on_time, vision_counts.failed), (2, 3));
            assert_eq!(vision_counts.total(), 5);

            let (n_counted, [control, vision_counts], n_failed) = fly(on, vision(), true);
            assert_eq!((n_counted, n_failed), (200, 99), "{on:?}");
            assert_eq!((control.on_time, control.total()), (200, 200));
            assert_eq!((vision_counts.on_time, vision_counts.failed), (3, 2));
            assert_eq!(vision_counts.total(), 5);
        }
    }
}

#[test]
fn due_time_of_a_rate_whose_always_system_did_not_run_fails() {
    schedule! {
        Lone {
            group Control: if is_due<Control>,
            see: in Control,
            report: in Control after see always,
        }
    }
    let mut resources = with_log();
    resources.insert(Clock::new());
    resources.insert(Rate::<Control>::hertz(1000.0));
    Lone::new().run(&mut resources).unwrap_err();
    let counts = resources.get::<Rate<Control>>().unwrap().counts();
    assert_eq!((counts.failed, counts.total()), (1, 1));
}

#[test]
fn timeline_of_a_refused_run_has_the_always_systems() {
    for &on in On::EACH {
        let mut schedule = Watched::new();
        on.set(&mut schedule);
        let (result, recording) = schedule.record(&mut with_log());
        let timeline = recording.timeline();
        result.unwrap_err();
        let ran = timeline.executions.iter().map(|one| &*one.system);
        assert_eq!(ran.collect::<Vec<_>>(), ["watch"]);
    }
}

#[test]
fn refused_run_is_replayed() {
    let mut resources = with_log();
    let mut recorder =
        Recorder::new(Vec::new(), &Watched::new(), RecordedResources::new()).unwrap();
    let mut schedule = Watched::new();
    recorder.run(&mut schedule, &mut resources).unwrap_err();
    recorder.run(&mut schedule, &mut resources).unwrap_err();
    let bytes = recorder.finish().unwrap();

    let replay = |schedule: &mut Schedule| {
        let mut replayer = Replayer::new(&bytes[..], schedule, RecordedResources::new()).unwrap();
        replayer.run_all(schedule, &mut with_log())
    };
    assert_eq!(replay(&mut Watched::new()).unwrap(), 2);
    // The same systems, but `watch` does not run.
    schedule! { Unwatched { see -> act -> watch } }
    let ReplayError::Diverged(divergence) = replay(&mut Unwatched::new()).unwrap_err() else {
        panic!("the runs differ");
    };
    assert_eq!(divergence.systems[0].name, "watch");
}
