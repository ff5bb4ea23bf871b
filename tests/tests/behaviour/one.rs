//! `run_one`: runs a single system and returns its answer.

use schedule::error::Cause;
use schedule::prelude::*;
use schedule::{RunError, run_one};

#[derive(Debug, PartialEq, Resource)]
struct Health(i32);

#[system]
fn nothing(health: &mut Health) {
    health.0 += 1;
}

#[system]
fn is_dead(health: &Health) -> bool {
    health.0 <= 0
}

#[system]
fn hurt(health: &mut Health) -> Result<(), String> {
    health.0 -= 1;
    if health.0 < 0 {
        Err("dead".into())
    } else {
        Ok(())
    }
}

#[system]
fn is_well(health: &Health) -> Result<bool, String> {
    if health.0 < 0 {
        Err("dead".into())
    } else {
        Ok(health.0 > 5)
    }
}

#[system]
fn replace(mut commands: Commands) -> bool {
    commands.insert(Health(100));
    false
}

fn with(health: i32) -> Resources {
    let mut resources = Resources::new();
    resources.insert(Health(health));
    resources
}

#[test]
fn single_system_returns_its_answer() {
    assert!(run_one::<nothing>(&mut with(1)).unwrap(), "no condition");
    assert!(run_one::<is_dead>(&mut with(0)).unwrap());
    assert!(!run_one::<is_dead>(&mut with(1)).unwrap());
    assert!(run_one::<hurt>(&mut with(1)).unwrap());
    assert!(run_one::<is_well>(&mut with(6)).unwrap());
    assert!(!run_one::<is_well>(&mut with(5)).unwrap());
}

#[test]
fn single_system_returns_its_error() {
    let cause = |error: RunError| match error {
        RunError::Failed { mut failures, .. } => failures.remove(0).cause,
        other => panic!("{other}"),
    };
    let error = cause(run_one::<hurt>(&mut with(0)).unwrap_err());
    assert!(matches!(&error, Cause::Error(_)), "{error}");
    let error = cause(run_one::<is_well>(&mut with(-1)).unwrap_err());
    assert_eq!(error.to_string(), "dead");
}

#[test]
fn commands_of_a_single_system_are_applied() {
    let mut resources = with(1);
    assert!(!run_one::<replace>(&mut resources).unwrap());
    assert_eq!(resources.get(), Some(&Health(100)));
}
