//! Requests of systems for the next run: the parameter `NextRun`.

mod random;

use std::time::Duration;

use schedule::driver::SimulatedTimer;
use schedule::error::{Cause, RequestError};
use schedule::param::{NextRun, Requests};
use schedule::prelude::*;
use schedule::rate::is_due;
use schedule::{Driver, FailurePolicy, Target, run_one};

use crate::trace::Trace;
use crate::{failures, schedule_of};
use schedule_tests::on::On;

const MS: Duration = Duration::from_millis(1);

#[derive(Group)]
struct Control;

#[derive(Group)]
struct Fast;

#[derive(Checkpoint)]
struct Midway;

#[derive(Debug, Default, PartialEq, Resource)]
struct Steps(u32);

#[system]
fn count(steps: &mut Steps) {
    steps.0 += 1;
}

#[system]
fn stop_counting(mut next_run: NextRun) {
    next_run.disable::<count>();
}

#[system]
fn stop_and_fail(mut next_run: NextRun) -> Result<(), String> {
    next_run.disable::<count>();
    Err("no".into())
}

#[system]
fn stop_and_panic(mut next_run: NextRun, mut commands: Commands) {
    next_run.disable::<count>();
    commands.push(|_| panic!("late"));
}

#[derive(Params)]
struct Both<'r> {
    next_run: NextRun<'r>,
    others: (NextRun<'r>, Local<'r, u32>),
}

#[system]
fn in_a_struct(mut both: Both) {
    both.others.0.disable::<count>();
    both.next_run.enable::<count>();
    *both.others.1 += 1;
}

#[system]
fn once_only(mut next_run: NextRun) -> bool {
    next_run.disable::<once_only>();
    true
}

fn with_steps() -> Resources {
    let mut resources = Resources::new();
    resources.insert_default::<Steps>();
    resources
}

#[test]
fn request_applies_from_the_next_run_on() {
    for &on in On::EACH {
        // In the same run, `count` still runs, although it comes later.
        let mut schedule = schedule_of(|builder| {
            builder
                .add::<stop_counting>()
                .add::<count>()
                .order(Target::of::<stop_counting>(), Target::of::<count>())
        });
        on.set(&mut schedule);
        let mut resources = with_steps();
        for _ in 0..3 {
            on.run(&mut schedule, &mut resources).unwrap();
            assert_eq!(*resources.get::<Steps>().unwrap(), Steps(1), "{on:?}");
            assert!(!schedule.is_enabled("count").unwrap());
        }
        // A call of the program comes after the requests of the last run.
        schedule.set_enabled("stop_counting", false).unwrap();
        schedule.set_enabled("count", true).unwrap();
        on.run(&mut schedule, &mut resources).unwrap();
        assert_eq!(*resources.get::<Steps>().unwrap(), Steps(2), "{on:?}");
    }
}

#[test]
fn recorded_run_applies_requests() {
    let mut schedule = schedule_of(|builder| builder.add::<stop_counting>().add::<count>());
    let (result, recording) = schedule.record(&mut with_steps());
    result.unwrap();
    assert_eq!(recording.timeline().executions.len(), 2);
    assert!(!schedule.is_enabled("count").unwrap());
}

#[test]
fn requests_of_a_failed_system_are_dropped() {
    for &on in On::EACH {
        let build = |add: fn(&mut schedule::Builder) -> &mut schedule::Builder| {
            let mut schedule = schedule_of(|builder| add(builder.add::<count>()));
            on.set(&mut schedule);
            schedule
        };
        for mut schedule in [
            build(|builder| builder.add::<stop_and_fail>()),
            build(|builder| builder.add::<stop_and_panic>()),
        ] {
            schedule.run(&mut with_steps()).unwrap_err();
            assert!(schedule.is_enabled("count").unwrap(), "{on:?}");
        }
    }
}

#[test]
fn last_request_of_several_parameters_wins() {
    // Parameters are asked in the order of the signature.
    let mut schedule = schedule_of(|builder| builder.add::<in_a_struct>().add::<count>());
    schedule.run(&mut with_steps()).unwrap();
    assert!(!schedule.is_enabled("count").unwrap());
}

#[test]
fn condition_can_make_requests() {
    for &on in On::EACH {
        let mut schedule =
            schedule_of(|builder| builder.add::<count>().run_if(Condition::of::<once_only>()));
        on.set(&mut schedule);
        let mut resources = with_steps();
        for _ in 0..3 {
            schedule.run(&mut resources).unwrap();
        }
        assert_eq!(*resources.get::<Steps>().unwrap(), Steps(1), "{on:?}");
    }
}

#[test]
fn request_in_a_loop_applies_after_all_iterations() {
    for &on in On::EACH {
        let trace = Trace::default();
        let of_body = trace.clone();
        let mut schedule = schedule_of(|builder| {
            let is_more = |mut n: Local<u32>| {
                *n = (*n + 1) % 4;
                *n != 0
            };
            builder.repeat_while_closure("loop", is_more, |body| {
                body.add_closure("step", move |mut next_run: NextRun| {
                    of_body.push("step");
                    next_run.set_enabled("step", false);
                })
            })
        });
        on.set(&mut schedule);
        for _ in 0..2 {
            schedule.run(&mut Resources::new()).unwrap();
        }
        assert_eq!(trace.take(), ["step"; 3], "{on:?}");
    }
}

#[test]
fn unknown_targets_fail_the_system_and_its_other_requests_apply() {
    for &on in On::EACH {
        let mut schedule = schedule_of(|builder| {
            builder
                .add_closure("ask", |mut next_run: NextRun| {
                    next_run
                        .disable::<Control>()
                        .set_enabled("coumt", false)
                        .set_period::<Control>(MS)
                        .disable::<count>();
                })
                .add::<count>()
                .add_closure("after", |_: &mut Steps| {})
                .order("ask", "after")
                .order("count", "after")
        });
        on.set(&mut schedule);
        let error = schedule.run(&mut with_steps()).unwrap_err();
        assert!(error.skipped().is_empty(), "{on:?}: everything has run");
        let [failure] = error.failures() else {
            panic!("{error}")
        };
        assert_eq!(failure.system.name, "ask");
        let Cause::Request(errors) = &failure.cause else {
            panic!("{error}")
        };
        assert!(matches!(
            errors[..],
            [
                RequestError::Target(_),
                RequestError::Target(_),
                RequestError::MissingRate(_)
            ]
        ));
        let text = errors[1].to_string();
        assert!(text.contains("`coumt` is not in this schedule"), "{text}");
        assert!(text.contains("did you mean `count`"), "{text}");
        assert!(text.contains("next_run.rs:"), "{text}");
        assert_eq!(
            errors[2].to_string(),
            "`Rate<Control>` is not a resource, so its period cannot be set for the next run"
        );
        assert!(!schedule.is_enabled("count").unwrap(), "{on:?}");
    }
}

#[test]
fn skipped_systems_are_reported_before_requests_apply() {
    let mut schedule = schedule_of(|builder| {
        builder
            .add_closure("fail", |mut commands: Commands| {
                commands.push(|_| ());
                Err::<(), _>("no")
            })
            .failure_policy_for("fail", FailurePolicy::SkipDependents)
            .add::<count>()
            .order("fail", "count")
            .add::<stop_counting>()
    });
    let error = schedule.run(&mut with_steps()).unwrap_err();
    assert_eq!(error.skipped()[0].name, "count");
    assert!(!schedule.is_enabled("count").unwrap());
}

#[test]
fn requests_survive_a_sync_point() {
    let mut schedule = schedule_of(|builder| {
        builder
            .policy(Policy::InsertionOrder)
            .add::<stop_counting>()
            .apply_commands::<Midway>()
            .add::<count>()
    });
    let mut resources = with_steps();
    schedule.run(&mut resources).unwrap();
    schedule.run(&mut resources).unwrap();
    assert_eq!(*resources.get::<Steps>().unwrap(), Steps(1));
}

#[test]
fn only_system_can_change_rates_but_no_other_systems() {
    let error = run_one::<stop_counting>(&mut Resources::new());
    let texts = failures(error.map(drop));
    assert!(texts[0].contains("`count` is not in this schedule"));
}

#[test]
#[should_panic(expected = "the period of a rate must be longer than 0")]
fn period_of_zero_panics_in_the_request() {
    Requests::new()
        .next_run()
        .set_period::<Control>(Duration::ZERO);
}

/// At 30 ms, doubles the period, after another request.
#[system(in = Control)]
fn slow_down(clock: &Clock, mut next_run: NextRun) {
    if clock.now() == 30 * MS {
        next_run
            .set_period::<Control>(MS)
            .set_period::<Control>(20 * MS);
    }
}

#[system(in = Fast)]
fn tick_fast(steps: &mut Steps) {
    steps.0 += 1;
}

/// Stops the fast systems, although their rate stays.
#[system(in = Control, after = slow_down)]
fn stop_fast(clock: &Clock, mut next_run: NextRun) {
    if clock.now() == 50 * MS {
        next_run.disable::<Fast>();
    }
}

schedule! {
    Changing {
        group Control: if is_due<Control> { slow_down, stop_fast }
        group Fast: if is_due<Fast> { tick_fast }
    }
}

#[test]
fn driver_uses_the_new_period_at_once() {
    for &on in On::EACH {
        let timer = SimulatedTimer::new().until(100 * MS);
        let mut resources = with_steps();
        resources.insert(Clock::new());
        resources.insert(Rate::<Control>::every(10 * MS));
        resources.insert(Rate::<Fast>::every(5 * MS));
        let mut schedule = Changing::new();
        on.set(&mut schedule);
        let mut driver = Driver::with_timer(schedule, timer);
        driver.run(&mut resources).unwrap();
        let counts = resources.get::<Rate<Control>>().unwrap().counts();
        // At 0, 10, 20, 30, 50, 70 and 90 ms.
        assert_eq!((counts.on_time, counts.total()), (7, 7), "{on:?}");
        // At 0 to 50 ms.
        assert_eq!(*resources.get::<Steps>().unwrap(), Steps(11), "{on:?}");
        let counts = resources.get::<Rate<Fast>>().unwrap().counts();
        assert_eq!((counts.on_time, counts.disabled), (11, 9), "{on:?}");
    }
}

#[test]
fn event_loop_uses_the_new_period_at_once() {
    let timer = SimulatedTimer::new();
    let mut resources = with_steps();
    resources.insert(Clock::new());
    resources.insert(Rate::<Control>::every(10 * MS));
    let build = Schedule::builder()
        .add::<slow_down>()
        .group::<Control>()
        .run_if(Condition::of::<is_due<Control>>())
        .build();
    let mut driver = Driver::with_timer(build.unwrap(), timer.clone());
    for expected in [10, 10, 10, 20, 20] {
        let wait = driver.run_if_due(&mut resources).unwrap();
        assert_eq!(wait, Some(expected * MS));
        timer.advance(expected * MS);
    }
}

/// A run at 7 ms, late for the due time at 0.
#[test]
fn request_replaces_a_period_that_the_same_run_has_set() {
    let run = |sets_period: bool| {
        let mut builder = Schedule::builder();
        builder
            .add_closure(
                "change",
                move |rate: &mut Rate<Control>, mut next_run: NextRun| {
                    if sets_period {
                        rate.set_period(5 * MS);
                    }
                    next_run.set_period::<Control>(20 * MS);
                },
            )
            .run_if(Condition::of::<is_due<Control>>());
        let mut schedule = builder.build().unwrap();
        let mut resources = Resources::new();
        let mut clock = Clock::new();
        clock.advance(7 * MS);
        resources.insert(clock);
        resources.insert(Rate::<Control>::every(10 * MS).tolerance(Duration::ZERO));
        schedule.run(&mut resources).unwrap();
        let rate = resources.get::<Rate<Control>>().unwrap();
        (rate.counts(), rate.period(), rate.next_due())
    };
    let (counts, period, next_due) = run(false);
    assert_eq!((counts.skipped, period), (0, 20 * MS));
    assert_eq!(run(true), (counts, period, next_due));
}
