//! Resources that are missing when a run starts.

mod refused;
mod skip;

use schedule::prelude::*;
use schedule::{RunError, run_one};

use crate::{Log, insertion_order, take_log, with_log};

#[derive(Resource)]
struct Seed;

#[derive(Resource)]
struct Store<T>(Vec<T>);

#[derive(Params)]
struct Field<'r> {
    seed: &'r Seed,
    rest: (Option<&'r Rain>, &'r mut Store<u8>),
}

#[derive(Resource)]
struct Rain;

#[system]
fn sow(seed: &Seed, log: &mut Log) {
    let _ = seed;
    log.push("sow");
}

#[system]
fn reap(field: Field, log: &mut Log) {
    let _ = (field.seed, field.rest.0);
    field.rest.1.0.push(1);
    log.push("reap");
}

#[system]
fn rest(log: &mut Log) {
    log.push("rest");
}

fn names(error: &RunError) -> Vec<(String, Vec<String>)> {
    let RunError::Missing(missing) = error else {
        panic!("{error}");
    };
    let one = |missing: &schedule::error::MissingResource| {
        assert!(!missing.is_main_thread && !missing.is_on_another_thread);
        let needed_by = missing.needed_by.iter();
        let names = needed_by.map(|system| system.name.clone());
        (missing.resource.clone(), names.collect())
    };
    missing.iter().map(one).collect()
}

#[test]
fn all_missing_resources_are_reported_before_any_system_runs() {
    let mut resources = with_log();
    let mut schedule = insertion_order(|all| {
        all.add::<rest>()
            .add::<reap>()
            .add::<sow>()
            .add::<rest>()
            .add::<reap>()
    });
    let error = schedule.run(&mut resources).unwrap_err();
    assert!(error.failures().is_empty());
    let needed = |names: &[&str]| {
        names
            .iter()
            .map(|name| name.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names(&error),
        [
            ("Seed".to_string(), needed(&["reap", "sow"])),
            ("Store<u8>".to_string(), needed(&["reap"])),
        ]
    );
    assert_eq!(take_log(&mut resources), [""; 0]);
}

#[test]
fn system_added_twice_is_named_once() {
    let mut schedule =
        insertion_order(|all| all.add::<sow>().add::<sow>().add::<reap>().add::<sow>());
    let error = schedule.run(&mut with_log()).unwrap_err();
    assert_eq!(names(&error)[0].1, ["sow", "reap"]);
}

#[test]
fn schedule_runs_after_missing_resources_are_inserted() {
    let mut resources = with_log();
    let mut schedule = insertion_order(|all| all.add::<sow>().add::<reap>());
    assert!(schedule.run(&mut resources).is_err());
    resources.insert(Seed);
    assert_eq!(names(&schedule.run(&mut resources).unwrap_err()).len(), 1);
    resources.insert(Store::<u16>(Vec::new()));
    assert_eq!(names(&schedule.run(&mut resources).unwrap_err()).len(), 1);
    resources.insert(Store::<u8>(Vec::new()));
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["sow", "reap"]);
    resources.remove::<Seed>();
    assert_eq!(names(&schedule.run(&mut resources).unwrap_err()).len(), 1);
    assert_eq!(take_log(&mut resources), [""; 0]);
}

#[test]
fn missing_resources_of_a_single_system_are_reported() {
    let error = run_one::<sow>(&mut Resources::new()).unwrap_err();
    let missing: Vec<_> = names(&error).into_iter().map(|(name, _)| name).collect();
    assert_eq!(missing, ["Seed", "Log"]);
}

#[test]
fn system_with_two_parameters_of_a_missing_resource_is_named_once() {
    #[system]
    fn look(_: &Seed, _: (&Seed, Option<&Seed>)) {}
    let error = run_one::<look>(&mut Resources::new()).unwrap_err();
    assert_eq!(
        names(&error),
        [("Seed".to_string(), vec!["look".to_string()])]
    );
}
