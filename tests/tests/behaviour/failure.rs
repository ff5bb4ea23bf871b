//! Systems that return errors or panic.

use std::error::Error;
use std::fmt;
use std::panic::panic_any;

use schedule::error::{Cause, Failure};
use schedule::prelude::*;
use schedule::{BoxError, RunError, run_one};

use crate::{Log, failures, insertion_order, schedule_of, take_log, with_log};

#[derive(Debug, PartialEq)]
struct Overdraft(u32);

impl fmt::Display for Overdraft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} too much", self.0)
    }
}

impl Error for Overdraft {}

#[system]
fn of_a_text() -> Result<(), &'static str> {
    Err("a text")
}

#[system]
fn of_a_string() -> Result<(), String> {
    Err("a string".to_string())
}

#[system]
fn of_a_box() -> Result<(), Box<dyn Error + Send + Sync>> {
    Err(Overdraft(1))?;
    Ok(())
}

const OF_AN_ERROR: u32 = line!() + 2;
#[system]
fn of_an_error() -> Result<(), Overdraft> {
    Err(Overdraft(2))
}

#[system]
fn of_an_error_of_the_library() -> Result<(), RunError> {
    run_one::<of_an_error>(&mut Resources::new())
}

#[system]
fn of_a_condition() -> Result<bool, Overdraft> {
    Err(Overdraft(3))
}

type Outcome<T = ()> = Result<T, BoxError>;

#[system]
fn of_an_alias() -> Outcome {
    Err("an alias".into())
}

#[system]
fn with_a_text() {
    panic!("plain");
}

#[system]
fn with_a_string() {
    let two = std::hint::black_box(2);
    panic!("made of {two}");
}

#[system]
fn with_a_number() {
    panic_any(7_u32);
}

#[system]
fn half_done(log: &mut Log) {
    log.push("half");
    let n_done = log.len();
    assert_eq!(n_done, 0, "stopped");
    log.push("done");
}

#[system]
fn fine(log: &mut Log) {
    log.push("fine");
}

fn only<T: fmt::Debug>(result: Result<T, RunError>) -> Failure {
    match result {
        Err(RunError::Failed { mut failures, .. }) if failures.len() == 1 => failures.remove(0),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_failure_is_reported_and_other_systems_run() {
    let mut resources = with_log();
    let mut schedule = insertion_order(|all| {
        all.add::<fine>()
            .add::<of_an_error>()
            .add::<fine>()
            .add::<with_a_string>()
            .add::<half_done>()
            .add::<of_a_condition>()
            .add::<fine>()
    });
    for _ in 0..2 {
        let found = failures(schedule.run(&mut resources));
        assert_eq!(found[0], "of_an_error: 2 too much");
        assert_eq!(found[1], "with_a_string: panicked: made of 2");
        assert!(
            found[2].starts_with("half_done: panicked: assertion `left == right` failed: stopped")
        );
        assert_eq!(found[3], "of_a_condition: 3 too much");
        assert_eq!(found.len(), 4);
        assert_eq!(take_log(&mut resources), ["fine", "fine", "half", "fine"]);
    }
}

#[test]
fn last_system_may_panic() {
    let mut resources = with_log();
    let mut schedule = schedule_of(|all| all.add::<fine>().add::<with_a_text>());
    assert_eq!(
        failures(schedule.run(&mut resources)),
        ["with_a_text: panicked: plain"]
    );
    let mut schedule = schedule_of(|all| all.add::<with_a_text>().add::<with_a_text>());
    assert_eq!(failures(schedule.run(&mut resources)).len(), 2);
}

#[test]
fn any_error_can_be_returned() {
    let text = |result: Result<(), RunError>| only(result).cause.to_string();
    let none = &mut Resources::new();
    assert_eq!(text(run_one::<of_a_text>(none)), "a text");
    assert_eq!(text(run_one::<of_a_string>(none)), "a string");
    assert_eq!(text(run_one::<of_a_box>(none)), "1 too much");
    assert_eq!(text(run_one::<of_an_error>(none)), "2 too much");
    assert_eq!(text(run_one::<of_an_alias>(none)), "an alias");
    let inner = text(run_one::<of_an_error_of_the_library>(none));
    assert!(inner.starts_with("1 system failed\n"), "{inner}");
    assert!(inner.ends_with(": 2 too much"), "{inner}");
}

#[test]
fn returned_error_can_be_downcast() {
    let failure = only(run_one::<of_an_error>(&mut Resources::new()));
    let Cause::Error(error) = failure.cause else {
        panic!("{failure}");
    };
    assert_eq!(*error.downcast::<Overdraft>().unwrap(), Overdraft(2));
}

#[test]
fn the_source_of_a_failure_is_the_error_that_was_returned() {
    let failure = only(run_one::<of_an_error>(&mut Resources::new()));
    let source = failure.source().unwrap();
    assert_eq!(source.downcast_ref(), Some(&Overdraft(2)));
    let mut panicking = schedule_of(|all| all.add::<with_a_text>());
    assert!(
        only(panicking.run(&mut Resources::new()))
            .source()
            .is_none()
    );
}

#[test]
fn panic_payload_can_be_downcast() {
    let payload = |result: Result<(), RunError>| match only(result).cause {
        Cause::Panic(panic) => (panic.message().to_string(), panic.into_payload()),
        other => panic!("{other}"),
    };
    let none = &mut Resources::new();
    let (message, value) = payload(run_one::<with_a_text>(none));
    assert_eq!(message, "plain");
    assert_eq!(value.downcast_ref(), Some(&"plain"));
    let (message, value) = payload(run_one::<with_a_string>(none));
    assert_eq!(message, "made of 2");
    assert_eq!(value.downcast_ref(), Some(&"made of 2".to_string()));
    let (message, value) = payload(run_one::<with_a_number>(none));
    assert_eq!(message, "the panic value is not a string");
    assert_eq!(value.downcast_ref(), Some(&7_u32));
}

#[test]
fn errors_can_be_sent_and_shared() {
    fn is_an_error<E: Error + Send + Sync + 'static>() {}
    is_an_error::<RunError>();
    is_an_error::<schedule::BuildError>();
}

#[test]
fn failure_names_the_location_of_the_function() {
    let failure = only(run_one::<of_an_error>(&mut Resources::new()));
    assert_eq!(failure.system.name, "of_an_error");
    assert_eq!(failure.system.location.file(), file!());
    assert_eq!(failure.system.location.line(), OF_AN_ERROR);
}

#[test]
fn successful_system_keeps_its_commands_after_another_fails() {
    #[system]
    fn every_other(mut n_runs: Local<u32>, mut commands: Commands) -> Result<(), String> {
        *n_runs += 1;
        let run = *n_runs;
        commands.push(move |resources| {
            resources
                .get_mut::<Log>()
                .unwrap()
                .push(if run == 2 { "second" } else { "other" });
        });
        if run == 2 {
            Ok(())
        } else {
            Err(format!("run {run}"))
        }
    }
    let mut resources = with_log();
    let mut schedule = schedule_of(|all| all.add::<every_other>());
    assert_eq!(
        failures(schedule.run(&mut resources)),
        ["every_other: run 1"]
    );
    schedule.run(&mut resources).unwrap();
    assert_eq!(
        failures(schedule.run(&mut resources)),
        ["every_other: run 3"]
    );
    assert_eq!(take_log(&mut resources), ["second"]);
}

#[test]
fn report_outlives_the_schedule_and_the_next_report() {
    let mut resources = with_log();
    let mut schedule = schedule_of(|all| {
        let all = all.add::<of_an_error>().add_closure("skipped", || ());
        all.order("of_an_error", "skipped")
    });
    let mut reports = Vec::new();
    for n_kept in 0..3 {
        // Dropped immediately, so its memory can be reused.
        assert!(schedule.run(&mut resources).is_err());
        reports.push(schedule.run(&mut resources));
        assert_eq!(reports.len(), n_kept + 1);
    }
    drop(schedule);
    for report in reports {
        let Err(RunError::Failed {
            failures, skipped, ..
        }) = report
        else {
            panic!("a system has failed");
        };
        let skipped: Vec<&str> = skipped.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(skipped, ["skipped"]);
        let [failure] = &failures.into_vec()[..] else {
            panic!("one has failed");
        };
        assert_eq!(failure.system.name, "of_an_error");
        assert!(matches!(&failure.cause, Cause::Error(error) if error.is::<Overdraft>()));
    }
}
