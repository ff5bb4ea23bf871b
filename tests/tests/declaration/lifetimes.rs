//! Lifetimes: elided, written, and hidden in an alias.
#![allow(clippy::needless_lifetimes, reason = "any way to write them is tried")]

use schedule::prelude::*;
use schedule::{BoxError, run_one};

use crate::{Health, after_one};

type HealthMut<'a> = &'a mut Health;
type Maybe<'a, T = Health> = Option<&'a mut T>;
type Outcome<E = BoxError> = Result<(), E>;
type Age<'r> = Local<'r, i32>;

#[system]
fn elided_in_an_alias(health: HealthMut, _age: Age) {
    health.0 -= 1;
}

#[system]
fn anonymous(health: HealthMut<'_>, _age: Age<'_>, _: Commands<'_>) {
    health.0 -= 1;
}

#[system]
fn written_out<'r, 'health>(
    health: &'health mut Health,
    mut age: Local<'r, i32>,
    mut commands: Commands<'r, Inserts<Health>>,
) {
    *age += 1;
    health.0 -= *age;
    commands.insert(Health(health.0));
}

#[system]
fn with_bounds<'long: 'short, 'short>(health: &'long mut Health, _age: Age<'short>) {
    health.0 -= 1;
}

#[system]
fn the_same_for_several<'r>(
    health: Maybe<'r>,
    everything: (Local<'r, u8>, Option<&'r Other>),
    other: &'r Other,
) {
    let _ = (everything, other);
    health.unwrap().0 -= 1;
}

#[system]
fn an_alias_as_output(health: &mut Health) -> Outcome {
    health.0 -= 1;
    Ok(())
}

#[system]
fn an_output_with_another_lifetime(health: &mut Health) -> Outcome<&'static str> {
    health.0 -= 1;
    Ok(())
}

#[derive(Params)]
struct Body<'health> {
    health: HealthMut<'health>,
    rest: (Age<'health>, Commands<'health>),
    inner: Inner<'health>,
}

#[derive(Params)]
struct Inner<'r>(Option<&'r Other>, Local<'r, u8>);

#[system]
fn of_params<'r>(body: Body<'r>, _: Inner<'_>) {
    let Inner(other, state) = body.inner;
    body.health.0 -= 1 + *state as i32 + other.is_some() as i32 + *body.rest.0;
}

#[derive(Default, Resource)]
struct Other;

#[derive(Resource)]
struct Text(&'static str);

#[system]
fn of_a_static_inside(text: &Text, _: Local<Option<&'static str>>) -> Result<(), &'static str> {
    Err(text.0)
}

#[test]
fn a_lifetime_may_be_written_in_any_way() {
    assert_eq!(after_one::<elided_in_an_alias>(), 9);
    assert_eq!(after_one::<anonymous>(), 9);
    assert_eq!(after_one::<written_out>(), 9);
    assert_eq!(after_one::<with_bounds>(), 9);
    assert_eq!(after_one::<an_alias_as_output>(), 9);
    assert_eq!(after_one::<an_output_with_another_lifetime>(), 9);
    assert_eq!(after_one::<of_params>(), 9);
}

#[test]
fn one_lifetime_may_be_used_for_all_parameters() {
    let mut resources = Resources::new();
    resources.insert(Health(10));
    resources.insert(Other);
    run_one::<the_same_for_several>(&mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Health(9)));
}

#[test]
fn static_lifetime_inside_a_type_is_kept() {
    let mut resources = Resources::new();
    resources.insert(Text("why"));
    let error = run_one::<of_a_static_inside>(&mut resources).unwrap_err();
    assert_eq!(error.failures()[0].cause.to_string(), "why");
}
