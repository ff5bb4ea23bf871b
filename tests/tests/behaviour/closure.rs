//! Closures as systems.

use schedule::prelude::*;
use schedule::{BoxError, run_one};

use crate::trace::races;
use crate::{Log, failures, schedule_of, take_log, with_log};

#[derive(Debug, Default, PartialEq, Resource)]
struct Gold(i64);

#[system]
fn spend(gold: &mut Gold) {
    gold.0 -= 1;
}

#[test]
fn a_closure_keeps_what_it_captured_and_its_locals() {
    let mut resources = Resources::new();
    resources.insert(Gold(0));
    let mut n_calls = 0;
    let mut schedule = schedule_of(|all| {
        all.add_closure("count", move |gold: &mut Gold, mut n_runs: Local<i64>| {
            n_calls += 1;
            *n_runs += 10;
            gold.0 += n_calls + *n_runs;
        })
    });
    schedule.run(&mut resources).unwrap();
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Gold(11 + 22)));
}

#[test]
fn a_closure_may_have_twelve_parameters() {
    let mut resources = with_log();
    resources.insert(Gold(7));
    let mut schedule = schedule_of(|all| {
        all.add_closure(
            "twelve",
            |log: &mut Log,
             gold: &Gold,
             _: Option<&Gold>,
             _: Local<u8>,
             _: Local<u16>,
             _: (Local<u8>, &Gold),
             _: (),
             _: Commands,
             _: Local<u32>,
             _: Local<u64>,
             _: Local<i8>,
             mut commands: Commands<Inserts<Gold>>| {
                log.push("twelve");
                commands.insert(Gold(gold.0 + 1));
            },
        )
        .add_closure("none", || ())
    });
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["twelve"]);
    assert_eq!(resources.get(), Some(&Gold(8)));
}

#[test]
fn a_closure_may_fail_and_may_be_a_condition() {
    let mut schedule = schedule_of(|all| {
        all.add_closure("fails", || Err::<(), _>("no"))
            .add_closure("asks", || true)
            .add_closure("asks and fails", || Err::<bool, BoxError>("never".into()))
            .add_closure("panics", || -> () { panic!("late") })
    });
    assert_eq!(
        failures(schedule.run(&mut Resources::new())),
        [
            "fails: no",
            "asks and fails: never",
            "panics: panicked: late"
        ]
    );
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn closure_is_verified_like_any_system() {
    let mut builder = Schedule::builder();
    builder
        .add::<spend>()
        .add_closure("earn", |gold: &mut Gold| gold.0 += 2)
        .add_closure("look", |_: &Log| ());
    assert_eq!(
        races(&mut builder),
        [("spend".to_string(), "earn".to_string())]
    );
}

#[test]
fn a_closure_is_ordered_by_type_and_by_name() {
    let mut resources = with_log();
    resources.insert(Gold(1));
    let mut schedule = schedule_of(|all| {
        all.add_closure("double", |gold: &mut Gold| gold.0 *= 2)
            .after::<spend>()
            .add::<spend>()
            .add_closure("earn", |gold: &mut Gold| gold.0 += 5)
            .order("earn", "double")
            .before::<spend>()
    });
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Gold(10)));
    run_one::<spend>(&mut resources).unwrap();
}

#[test]
fn closure_has_the_location_of_its_addition() {
    let line = line!() + 1;
    let mut schedule = schedule_of(|all| all.add_closure("here", || Err::<(), _>("no")));
    let error = schedule.run(&mut Resources::new()).unwrap_err();
    let place = &error.failures()[0].system;
    assert_eq!(place.to_string(), format!("`here` ({}:{line})", file!()));
}

#[test]
fn a_closure_that_only_panics_is_a_system() {
    let mut schedule = Schedule::builder()
        .add_closure("never", || panic!("the system fails"))
        .build()
        .unwrap();
    let error = schedule.run(&mut Resources::new()).unwrap_err();
    let [failure] = error.failures() else {
        panic!("{error}");
    };
    assert_eq!(failure.cause.to_string(), "panicked: the system fails");
}
