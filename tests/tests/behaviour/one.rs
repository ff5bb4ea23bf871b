//! `run_one` and `evaluate_one`: run a single system.

use schedule::error::Cause;
use schedule::prelude::*;
use schedule::{RunError, evaluate_one, run_one};

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
fn single_condition_returns_its_answer() {
    assert!(evaluate_one::<is_dead>(&mut with(0)).unwrap());
    assert!(!evaluate_one::<is_dead>(&mut with(1)).unwrap());
    assert!(evaluate_one::<is_well>(&mut with(6)).unwrap());
    assert!(!evaluate_one::<is_well>(&mut with(5)).unwrap());
}

#[test]
fn single_system_of_any_kind_runs() {
    let mut resources = with(1);
    run_one::<nothing>(&mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Health(2)));
    run_one::<hurt>(&mut resources).unwrap();
    run_one::<is_dead>(&mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Health(1)));
}

#[test]
fn single_system_returns_its_error() {
    let cause = |error: RunError| match error {
        RunError::Failed { mut failures, .. } => failures.remove(0).cause,
        other => panic!("{other}"),
    };
    let error = cause(run_one::<hurt>(&mut with(0)).unwrap_err());
    assert!(matches!(&error, Cause::Error(_)), "{error}");
    let error = cause(evaluate_one::<is_well>(&mut with(-1)).unwrap_err());
    assert_eq!(error.to_string(), "dead");
}

#[test]
fn commands_of_a_single_system_are_applied() {
    let mut resources = with(1);
    assert!(!evaluate_one::<replace>(&mut resources).unwrap());
    assert_eq!(resources.get(), Some(&Health(100)));
}
