//! Rates and fixed steps in schedules, by a clock that the test drives.

use core::time::Duration;

use schedule::prelude::*;
use schedule::{Clock, Rate, is_due, tick};

use crate::on::On;
use crate::{Log, schedule_of, take_log, with_log};

#[test]
fn two_rates_and_a_fixed_step_go_by_one_clock() {
    #[derive(Group)]
    struct Fast;
    #[derive(Group)]
    struct Slow;
    #[derive(Group)]
    struct Physics;
    let mut declare = Schedule::builder();
    declare
        .policy(Policy::AsAdded)
        .add_closure("fast", |log: &mut Log| log.push("fast"))
        .in_group::<Fast>()
        .group::<Fast>()
        .only_if::<is_due<Fast>>()
        .add_closure("slow", |log: &mut Log| log.push("slow"))
        .in_group::<Slow>()
        .group::<Slow>()
        .only_if::<is_due<Slow>>()
        .repeat_while::<is_due<Physics>>(|step| {
            step.add_closure("step", |log: &mut Log| log.push("step"))
        });
    let mut schedule = declare.build().unwrap();
    for &on in On::EACH {
        on.set(&mut schedule);
        let mut resources = with_log();
        resources.insert(Clock::new());
        resources.insert(Rate::<Fast>::hertz(100.0));
        resources.insert(Rate::<Slow>::hertz(10.0));
        resources.insert(Rate::<Physics>::every(Duration::from_millis(4)).catch_up(100));
        let mut counts = [0; 3];
        for _ in 0..100 {
            let clock = resources.get_mut::<Clock>().unwrap();
            clock.advance(Duration::from_millis(10));
            schedule.run(&mut resources).unwrap();
            for name in take_log(&mut resources) {
                let idx = ["fast", "slow", "step"].iter().position(|one| *one == name);
                counts[idx.unwrap()] += 1;
            }
        }
        assert_eq!(counts, [100, 10, 250], "{on:?}");
        let rate = resources.get::<Rate<Physics>>().unwrap();
        assert_eq!((rate.n_missed(), rate.leftover()), (0, Duration::ZERO));
    }
}

#[test]
fn a_tick_comes_before_who_asks_for_the_time() {
    let mut schedule = schedule_of(|builder| {
        builder
            .add_closure("due", || {})
            .only_if::<is_due<u8>>()
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
fn a_loop_is_ordered_by_its_condition_and_as_that_says() {
    #[derive(Group)]
    struct Physics;
    #[system(in = schedule::Tick)]
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
            .repeat_while::<is_due<Physics>>(|parts| parts.add_closure("step", || {}))
            .add::<advance>()
    });
    let text = format!("{schedule:?}");
    assert_eq!(
        text,
        "schedule `schedule`\n  advance\n  repeat while `is_due<Physics>`\n    step\n  draw"
    );
    let mut resources = with_log();
    resources.insert(Clock::new());
    resources.insert(Rate::<Physics>::every(Duration::from_millis(1)));
    schedule.run(&mut resources).unwrap();
}
