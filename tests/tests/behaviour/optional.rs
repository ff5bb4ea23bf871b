//! `Option` parameters.

use schedule::prelude::*;

use crate::{Log, insertion_order, take_log, with_log};

#[derive(Resource)]
struct Rain(u32);

#[system]
fn look(rain: Option<&Rain>, log: &mut Log) {
    log.push(if rain.is_some() { "wet" } else { "dry" });
}

#[system]
fn dry(rain: Option<&mut Rain>) {
    if let Some(rain) = rain {
        rain.0 -= 1;
    }
}

#[test]
fn an_optional_resource_may_be_missing() {
    let mut resources = with_log();
    let mut schedule = insertion_order(|all| all.add::<look>().add::<dry>());
    schedule.run(&mut resources).unwrap();
    resources.insert(Rain(2));
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.remove::<Rain>().unwrap().0, 1);
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["dry", "wet", "dry"]);
}
