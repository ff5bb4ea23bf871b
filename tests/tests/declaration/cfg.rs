//! `#[cfg]` on parameters, systems and fields.
#![allow(clippy::non_minimal_cfg, reason = "the simplest conditions are enough")]

use schedule::prelude::*;

use crate::{Health, after_one};

#[system]
fn on(#[cfg(all())] health: &mut Health) {
    health.0 -= 1;
}

#[system]
fn off(health: &mut Health, #[cfg(any())] missing: &mut Missing) {
    health.0 -= 1;
    #[cfg(any())]
    drop(missing);
}

#[system]
fn all_off(#[cfg(any())] first: &mut Missing, #[cfg(any())] second: Missing) {}

#[system]
fn several(
    #[cfg(all())]
    #[cfg(not(any()))]
    health: &mut Health,
    #[cfg(all())]
    #[cfg(any())]
    missing: &mut Missing,
    #[cfg(all(test, any(unix, windows, not(windows))))] mut n_runs: Local<i32>,
    #[cfg(true)] _: Local<u8>,
    #[cfg(false)] _: Local<Missing>,
) {
    *n_runs += 1;
    health.0 -= *n_runs;
}

#[system]
fn beside_others(
    #[cfg_attr(any(), cfg(any()))] health: &mut Health,
    #[allow(unused_variables, reason = "an attribute that is not `cfg`")] spare: Local<u8>,
    #[cfg(any())] ref mut _nothing @ (Missing, Missing): Missing,
) {
    health.0 -= 1;
}

#[cfg(any())]
#[system]
fn not_there(missing: Missing) {}

#[derive(Params)]
struct Body<'r> {
    #[cfg(all())]
    health: &'r mut Health,
    #[cfg(any())]
    missing: Missing,
}

#[system]
fn of_params(body: Body) {
    body.health.0 -= 1;
}

#[derive(Default, Resource)]
#[resource(transparent)]
struct Points(#[cfg(all())] i32, #[cfg(any())] Missing);

#[test]
fn parameter_disabled_by_cfg_is_removed() {
    on(&mut Health(0));
    off(&mut Health(0));
    assert_eq!(after_one::<on>(), 9);
    assert_eq!(after_one::<off>(), 9);
    assert_eq!(after_one::<all_off>(), 10);
    assert_eq!(after_one::<several>(), 9);
    assert_eq!(after_one::<beside_others>(), 9);
    assert_eq!(after_one::<of_params>(), 9);
    assert_eq!(*Points::default(), 0);
}
