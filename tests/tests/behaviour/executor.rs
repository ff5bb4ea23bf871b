//! The executor is a setting of `schedule!`, of a builder, of a change and of a schedule.

use schedule::prelude::*;
use schedule::{Builder, Executor, Plugin};

#[system]
fn film() {}

#[system]
fn send() {}

schedule! { Plain { film } }
schedule! { Serial { executor serial, film } }
schedule! { Parallel { film, executor parallel } }
schedule! { Auto { executor auto, film } }
schedule! { Including { include Serial, send } }
schedule! { Both { executor parallel, include Serial, send } }
schedule! { open Open { executor serial, film } }

#[test]
fn listed_executor_is_that_of_the_schedule() {
    assert_eq!(Plain::new().executor(), Executor::Auto);
    assert_eq!(Serial::new().executor(), Executor::Serial);
    assert_eq!(Parallel::new().executor(), Executor::Parallel);
    assert_eq!(Auto::new().executor(), Executor::Auto);
    assert_eq!(Open::new().unwrap().executor(), Executor::Serial);
}

#[test]
fn last_setting_counts() {
    let mut builder = Serial::builder();
    builder
        .executor(Executor::Auto)
        .executor(Executor::Parallel);
    let mut schedule = builder.build().unwrap();
    assert_eq!(schedule.executor(), Executor::Parallel);
    schedule.set_executor(Executor::Serial);
    assert_eq!(schedule.executor(), Executor::Serial);
}

#[test]
fn executor_of_a_plugin_has_no_effect() {
    assert_eq!(Including::new().executor(), Executor::Auto);
    assert_eq!(Both::new().executor(), Executor::Parallel);
    let built = |include: fn(&mut Builder)| {
        let mut builder = Schedule::builder();
        include(&mut builder);
        builder.build().unwrap().executor()
    };
    assert_eq!(
        built(|all| {
            all.include(Serial::builder());
        }),
        Executor::Auto
    );
    assert_eq!(
        built(|all| {
            all.include(|inner: &mut Builder| {
                inner.executor(Executor::Serial);
            });
        }),
        Executor::Auto
    );
    // A builder that declares itself on another one is a plugin, too.
    assert_eq!(
        built(|all| {
            all.executor(Executor::Parallel);
            Serial::builder().declare(all);
        }),
        Executor::Parallel
    );
}

#[test]
fn change_keeps_the_executor_unless_it_sets_one() {
    let mut schedule = Serial::new();
    schedule.change(|all| all.add::<send>()).unwrap();
    assert_eq!(schedule.executor(), Executor::Serial);
    schedule.set_executor(Executor::Auto);
    schedule.change(|all| all.remove("send")).unwrap();
    assert_eq!(schedule.executor(), Executor::Auto);
    let result = schedule.change(|all| all.executor(Executor::Parallel).remove("send"));
    assert!(result.is_err(), "`send` is gone");
    assert_eq!(schedule.executor(), Executor::Auto);
    schedule
        .change(|all| all.executor(Executor::Parallel))
        .unwrap();
    assert_eq!(schedule.executor(), Executor::Parallel);
}
