//! Rates and fixed steps in schedules, with a clock that the test controls.

use core::time::Duration;

use schedule::prelude::*;
use schedule::rate::{RateCounts, is_due, tick};
use schedule::{Clock, Condition, Rate, Target, evaluate_one};

use crate::{Log, schedule_of, take_log, with_log};
use schedule_tests::on::On;

/// A rate with steps of 10 ms.
#[derive(Group)]
struct Physics;

#[derive(Group)]
struct World;

#[derive(Resource)]
struct IsRunning(bool);

#[system]
fn is_running(running: &IsRunning) -> bool {
    running.0
}

#[system]
fn step(log: &mut Log) {
    log.push("step");
}

#[system]
fn once_more(log: &Log, mut is_more: Local<bool>) -> bool {
    let _ = log;
    *is_more = !*is_more;
    *is_more
}

schedule! {
    GuardedLoop { repeat while is_due<Physics>: if is_running { step } }
}

schedule! {
    LoopInAGuardedGroup {
        group World: if is_running { repeat while is_due<Physics> { step } }
    }
}

schedule! {
    LoopInAGuardedLoop {
        repeat while once_more: if is_running { repeat while is_due<Physics> { step } }
    }
}

/// Schedules in which a guard prevents the evaluation of a loop, in various ways and for both front ends.
fn guarded_loops() -> [Schedule; 6] {
    [
        GuardedLoop::new(),
        LoopInAGuardedGroup::new(),
        LoopInAGuardedLoop::new(),
        schedule_of(|builder| {
            builder
                .repeat_while::<is_due<Physics>>(|body| body.add::<step>())
                .run_if(Condition::of::<is_running>())
        }),
        schedule_of(|builder| {
            builder
                .repeat_while::<is_due<Physics>>(|body| body.add::<step>())
                .in_group::<World>()
                .group::<World>()
                .run_if(Condition::of::<is_running>())
        }),
        schedule_of(|builder| {
            builder
                .repeat_while::<once_more>(|body| {
                    body.repeat_while::<is_due<Physics>>(|body| body.add::<step>())
                })
                .run_if(Condition::of::<is_running>())
        }),
    ]
}

fn with_physics(rate: Rate<Physics>) -> Resources {
    let mut resources = with_log();
    resources.insert(Clock::new());
    resources.insert(rate);
    resources.insert(IsRunning(true));
    resources
}

fn steps() -> Rate<Physics> {
    Rate::every(Duration::from_millis(10)).catch_up(8)
}

fn advance(resources: &mut Resources, ms: u64) {
    let clock = resources.get_mut::<Clock>().unwrap();
    clock.advance(Duration::from_millis(ms));
}

/// Advances the clock by `ms`, runs the schedule, and returns the number of steps.
fn frame(schedule: &mut Schedule, resources: &mut Resources, ms: u64) -> usize {
    advance(resources, ms);
    let _ = schedule.run(resources);
    take_log(resources).len()
}

fn counts(resources: &Resources) -> RateCounts {
    resources.get::<Rate<Physics>>().unwrap().counts()
}

#[test]
fn paused_loop_does_not_catch_up() {
    for (idx, mut schedule) in guarded_loops().into_iter().enumerate() {
        for &on in On::EACH {
            on.set(&mut schedule);
            let mut resources = with_physics(steps());
            let mut n_steps = Vec::new();
            for is_running in [true, true, false, false, false, true, true] {
                resources.insert(IsRunning(is_running));
                n_steps.push(frame(&mut schedule, &mut resources, 10));
            }
            // Steps are due at 0 and at 10 ms in the first frame.
            assert_eq!(n_steps, [2, 1, 0, 0, 0, 1, 1], "{idx} {on:?}");
            assert_eq!(counts(&resources).missed(), 0, "{idx} {on:?}");
            let rate = resources.get::<Rate<Physics>>().unwrap();
            assert_eq!(rate.max_lateness(), Duration::from_millis(10));
        }
    }
}

#[test]
fn paused_time_counts_if_configured() {
    for (idx, mut schedule) in guarded_loops().into_iter().enumerate() {
        for &on in On::EACH {
            on.set(&mut schedule);
            let mut resources = with_physics(steps().count_paused());
            let mut n_steps = Vec::new();
            for is_running in [true, false, false, false, true, true] {
                resources.insert(IsRunning(is_running));
                n_steps.push(frame(&mut schedule, &mut resources, 10));
            }
            assert_eq!(n_steps, [2, 0, 0, 0, 4, 1], "{idx} {on:?}");
        }
    }
}

#[test]
fn reset_rate_has_nothing_to_catch_up() {
    let mut schedule = GuardedLoop::new();
    let mut resources = with_physics(steps());
    assert_eq!(frame(&mut schedule, &mut resources, 0), 1);
    resources.get_mut::<Rate<Physics>>().unwrap().reset();
    assert_eq!(frame(&mut schedule, &mut resources, 73), 1);
    assert_eq!(frame(&mut schedule, &mut resources, 9), 0);
    assert_eq!(frame(&mut schedule, &mut resources, 1), 1);
    assert_eq!(counts(&resources).on_time, 3);
}

#[test]
fn step_that_resets_its_rate_restarts_in_the_next_run() {
    // An additional step fails, so that the test ends even if the loop does not.
    let mut schedule = schedule_of(|builder| {
        builder.repeat_while::<is_due<Physics>>(|body| {
            body.add_closure("step", |rate: &mut Rate<Physics>, log: &mut Log| {
                log.push("step");
                rate.reset();
                if log.0.len() < 100 {
                    Ok(())
                } else {
                    Err("the loop goes on")
                }
            })
        })
    });
    for &on in On::EACH {
        on.set(&mut schedule);
        for (catch_up, expected) in [
            (Some(8), [4, 1, 1]),
            (Some(2), [2, 1, 1]),
            (None, [1, 1, 1]),
        ] {
            let rate = Rate::every(Duration::from_millis(10));
            let mut resources = with_physics(match catch_up {
                Some(at_most) => rate.catch_up(at_most),
                None => rate,
            });
            // Steps are due at 0, 10, 20 and 30 ms in the first frame.
            let n_steps = [30, 103, 1].map(|ms| frame(&mut schedule, &mut resources, ms));
            assert_eq!(n_steps, expected, "{catch_up:?} {on:?}");
            let rate = resources.get::<Rate<Physics>>().unwrap();
            assert_eq!(rate.lateness(), Duration::ZERO, "it started anew");
            assert_eq!(counts(&resources).total(), 6, "{catch_up:?} {on:?}");
        }
    }
}

#[test]
fn rate_evaluated_by_one_system_can_be_reset() {
    let mut resources = with_physics(steps());
    let ask = |resources: &mut Resources| evaluate_one::<is_due<Physics>>(resources).unwrap();
    assert!(ask(&mut resources));
    assert!(!ask(&mut resources));
    advance(&mut resources, 73);
    resources.get_mut::<Rate<Physics>>().unwrap().reset();
    assert_eq!([(); 2].map(|()| ask(&mut resources)), [true, false]);
    assert_eq!(counts(&resources).total(), 2);
}

#[test]
fn time_between_runs_is_caught_up() {
    for mut schedule in guarded_loops() {
        let mut resources = with_physics(steps());
        assert_eq!(frame(&mut schedule, &mut resources, 0), 1);
        advance(&mut resources, 10);
        advance(&mut resources, 10);
        assert_eq!(frame(&mut schedule, &mut resources, 10), 3);
        let rate = resources.get::<Rate<Physics>>().unwrap();
        assert_eq!(rate.lateness(), Duration::from_millis(20));
    }
}

#[test]
fn due_times_of_a_disabled_loop_are_counted_but_not_caught_up() {
    for mut schedule in guarded_loops() {
        for &on in On::EACH {
            on.set(&mut schedule);
            let mut resources = with_physics(steps());
            let mut n_steps = Vec::new();
            for is_enabled in [true, true, false, false, false, true, true] {
                schedule
                    .set_enabled(Target::of::<is_due<Physics>>(), is_enabled)
                    .unwrap();
                n_steps.push(frame(&mut schedule, &mut resources, 10));
            }
            assert_eq!(n_steps, [2, 1, 0, 0, 0, 1, 1], "{on:?}");
            let counts = counts(&resources);
            assert_eq!(
                (counts.disabled, counts.missed(), counts.total()),
                (3, 3, 8)
            );
        }
    }
}

#[test]
fn outer_loop_without_an_iteration_does_not_pause_the_rate() {
    let mut schedule = schedule_of(|builder| {
        builder.repeat_while_closure(
            "outer",
            |running: &IsRunning, mut n: Local<u32>| {
                *n = if running.0 { (*n + 1) % 2 } else { 0 };
                *n > 0
            },
            |body| body.repeat_while::<is_due<Physics>>(|body| body.add::<step>()),
        )
    });
    for &on in On::EACH {
        on.set(&mut schedule);
        let mut resources = with_physics(steps());
        let mut n_steps = Vec::new();
        for is_running in [true, false, false, true] {
            resources.insert(IsRunning(is_running));
            n_steps.push(frame(&mut schedule, &mut resources, 10));
        }
        assert_eq!(n_steps, [2, 0, 0, 3], "{on:?}");
    }
}

#[test]
fn each_due_time_is_counted_once_by_its_outcome() {
    #[derive(Resource)]
    struct Does(&'static str);
    #[system(if = is_due<Physics>)]
    fn work(does: &Does) -> Result<(), &'static str> {
        match does.0 {
            "fails" => Err("as requested"),
            _ => Ok(()),
        }
    }
    #[system(before = (is_due::<Physics>, work))]
    fn prepare(does: &Does) -> Result<(), &'static str> {
        match does.0 {
            "fails before" => Err("as requested"),
            _ => Ok(()),
        }
    }
    let mut by_builder = schedule_of(|builder| {
        builder
            .add::<prepare>()
            .add::<is_due<Physics>>()
            .add::<work>()
            .run_if(Condition::of::<is_running>())
    });
    schedule! {
        Listed { is_due<Physics>, prepare, work: if is_running }
    }
    let mut listed = Listed::new();
    for schedule in [&mut by_builder, &mut listed] {
        for &on in On::EACH {
            on.set(schedule);
            let mut resources = with_physics(Rate::every(Duration::from_millis(10)));
            let mut expected = RateCounts::default();
            let mut is_first = true;
            for does in [
                "runs",
                "is late",
                "is not run",
                "fails",
                "runs",
                "fails before",
                "is disabled",
                "is not asked",
                "is disabled",
                "runs",
            ] {
                resources.insert(Does(does));
                resources.insert(IsRunning(does != "is not run"));
                schedule.set_enabled("work", does != "is disabled").unwrap();
                schedule
                    .set_enabled(Target::of::<is_due<Physics>>(), does != "is not asked")
                    .unwrap();
                advance(
                    &mut resources,
                    match does {
                        _ if is_first => 0,
                        "is late" => 36,
                        _ => 10,
                    },
                );
                is_first = false;
                let result = schedule.run(&mut resources);
                assert_eq!(result.is_err(), does.starts_with("fails"), "{does}");
                match does {
                    "runs" => expected.on_time += 1,
                    // The last due time was 10 ms before the first of four due times passed.
                    "is late" => {
                        expected.late += 1;
                        expected.skipped += 3;
                        let rate = resources.get::<Rate<Physics>>().unwrap();
                        assert_eq!(rate.lateness(), Duration::from_millis(26));
                        advance(&mut resources, 4);
                    }
                    "is not run" | "fails before" => expected.skipped += 1,
                    "fails" => expected.failed += 1,
                    "is disabled" | "is not asked" => expected.disabled += 1,
                    _ => unreachable!("{does}"),
                }
                assert_eq!(counts(&resources), expected, "{does} {on:?}");
            }
            let n_due = resources.get::<Clock>().unwrap().now().as_millis() / 10 + 1;
            assert_eq!(u128::from(expected.total()), n_due, "{on:?}");
        }
    }
}

#[test]
fn failure_in_a_loop_body_fails_the_due_time() {
    let mut schedule = schedule_of(|builder| {
        builder.repeat_while::<is_due<Physics>>(|body| {
            body.add_closure("fail", |mut n: Local<u32>| {
                *n += 1;
                if n.is_multiple_of(3) {
                    Err("every third")
                } else {
                    Ok(())
                }
            })
        })
    });
    for &on in On::EACH {
        on.set(&mut schedule);
        let mut resources = with_physics(steps());
        let results = [0, 10, 10, 10, 10, 10].map(|ms| {
            advance(&mut resources, ms);
            schedule.run(&mut resources).is_ok()
        });
        assert_eq!(results, [true, true, false, true, true, false], "{on:?}");
        let counts = counts(&resources);
        assert_eq!((counts.on_time, counts.failed, counts.total()), (4, 2, 6));
    }
}

#[test]
fn two_rates_and_a_fixed_step_share_one_clock() {
    #[derive(Group)]
    struct Fast;
    #[derive(Group)]
    struct Slow;
    let mut declare = Schedule::builder();
    declare
        .policy(Policy::InsertionOrder)
        .add_closure("fast", |log: &mut Log| log.push("fast"))
        .in_group::<Fast>()
        .group::<Fast>()
        .run_if(Condition::of::<is_due<Fast>>())
        .add_closure("slow", |log: &mut Log| log.push("slow"))
        .in_group::<Slow>()
        .group::<Slow>()
        .run_if(Condition::of::<is_due<Slow>>())
        .repeat_while::<is_due<Physics>>(|step| {
            step.add_closure("step", |log: &mut Log| log.push("step"))
        });
    let mut schedule = declare.build().unwrap();
    for &on in On::EACH {
        on.set(&mut schedule);
        let mut resources = with_log();
        resources.insert(Clock::new());
        resources.insert(Rate::<Fast>::hertz(100.0));
        resources.insert(Rate::<Slow>::hertz(10.0).tolerance(Duration::from_millis(5)));
        resources.insert(Rate::<Physics>::every(Duration::from_millis(4)).catch_up(100));
        let mut counts = [0; 3];
        for _ in 0..100 {
            schedule.run(&mut resources).unwrap();
            for name in take_log(&mut resources) {
                let idx = ["fast", "slow", "step"].iter().position(|one| *one == name);
                counts[idx.unwrap()] += 1;
            }
            advance(&mut resources, 10);
        }
        // Steps are due at 0, 4, …, 988 ms. The last run is at 990 ms.
        assert_eq!(counts, [100, 10, 248], "{on:?}");
        let rate = resources.get::<Rate<Physics>>().unwrap();
        assert_eq!(rate.leftover(), Duration::from_millis(2));
        assert_eq!(rate.n_missed(), 0);
    }
}

#[test]
fn tick_precedes_conditions_that_read_the_clock() {
    let mut schedule = schedule_of(|builder| {
        builder
            .add_closure("due", || {})
            .run_if(Condition::of::<is_due<u8>>())
            .add::<tick>()
    });
    assert_eq!(
        schedule.systems().collect::<Vec<_>>(),
        ["tick", "is_due<u8>", "due"]
    );
    let mut resources = Resources::new();
    resources.insert(Clock::new());
    resources.insert(Rate::<u8>::every(Duration::from_nanos(1)));
    schedule.run(&mut resources).unwrap();
}

#[test]
fn loop_is_ordered_by_orders_of_its_condition() {
    #[derive(Group)]
    struct Physics;
    #[system(in = schedule::rate::Tick)]
    fn advance(clock: &mut Clock) {
        clock.advance(Duration::from_millis(1));
    }
    #[system(after = is_due::<Physics>)]
    fn draw(rate: &Rate<Physics>, log: &mut Log) {
        assert_eq!(rate.lateness(), Duration::ZERO);
        log.push("draw");
    }
    let mut schedule = schedule_of(|builder| {
        builder
            .add::<draw>()
            .repeat_while::<is_due<Physics>>(|body| body.add_closure("step", || {}))
            .add::<advance>()
    });
    let text = format!("{schedule:?}");
    assert_eq!(
        text,
        "schedule `schedule`\n  advance\n  repeat while `is_due<Physics>`\n    step\n  draw"
    );
    let mut resources = with_log();
    resources.insert(Clock::new());
    let period = Duration::from_millis(1);
    resources.insert(Rate::<Physics>::every(period).starting_at(period));
    schedule.run(&mut resources).unwrap();
}
