//! Systems and parameters whose names collide with other names.

use schedule::prelude::*;
use schedule::{Identity, run_one};

use crate::{Health, after_one};

#[system]
fn r#match(r#in: &mut Health) {
    r#in.0 -= 1;
}

#[system(type = r#Struct, after = r#match)]
fn r#struct(r#type: &mut Health) {
    r#type.0 -= 1;
}

#[derive(Resource)]
#[allow(non_camel_case_types, reason = "a raw name is what is tried")]
struct r#enum(i32);

#[derive(Params)]
struct Body<'r> {
    r#fn: &'r mut Health,
    r#loop: Local<'r, u8>,
}

#[system]
fn of_params(r#mod: Body) {
    r#mod.r#fn.0 -= 1 + *r#mod.r#loop as i32;
}

#[system]
fn named_as_its_parameter(named_as_its_parameter: &mut Health) {
    named_as_its_parameter.0 -= 1;
}

#[system]
#[allow(clippy::too_many_arguments, reason = "each is tried")]
fn named_as_what_is_generated(
    __schedule: &mut Health,
    param_0: Local<u8>,
    param_1: Local<u8>,
    core: Local<u8>,
    schedule: Local<u8>,
    call: Local<u8>,
    resources: Local<u8>,
    state: Local<u8>,
) {
    __schedule.0 -= 1;
    let _ = (param_0, param_1, core, schedule, call, resources, state);
}

#[system]
fn größe(größe: &mut Health) {
    größe.0 -= 1;
}

#[system]
#[allow(clippy::too_many_arguments, reason = "each is tried")]
#[allow(clippy::toplevel_ref_arg, reason = "it is what is tried")]
fn taken_apart(
    Health(points): &mut Health,
    _: Local<u8>,
    (first, (..)): (Local<u8>, (Local<u8>, Commands)),
    mut second: Local<u8>,
    ref third: Local<u8>,
    ref mut fourth: Local<u8>,
    fifth @ (_, _): (Local<u8>, Local<u8>),
    (.., sixth): (Local<u8>, Local<u8>),
) {
    *second += 1;
    **fourth += *first + **third + *fifth.0 + *sixth;
    *points -= *second as i32;
}

#[system(name = "")]
fn without_name() {}

#[system(name = "with `ticks` and {braces} and \n")]
fn with_any_name() {}

#[test]
fn system_may_have_any_valid_name() {
    assert_eq!(after_one::<r#match>(), 9);
    assert_eq!(after_one::<Struct>(), 9);
    assert_eq!(after_one::<of_params>(), 9);
    assert_eq!(after_one::<named_as_its_parameter>(), 9);
    assert_eq!(after_one::<named_as_what_is_generated>(), 9);
    assert_eq!(after_one::<größe>(), 9);
    assert_eq!(after_one::<taken_apart>(), 9);
}

#[test]
fn raw_and_custom_names_are_printed_plainly() {
    assert_eq!(r#match::NAME.to_string(), "match");
    assert_eq!(Struct::NAME.to_string(), "struct");
    assert_eq!(r#enum::NAME.to_string(), "enum");
    assert_eq!(größe::NAME.to_string(), "größe");
    assert_eq!(without_name::NAME.to_string(), "");
    let name = "with `ticks` and {braces} and \n";
    assert_eq!(with_any_name::NAME.to_string(), name);
    let _ = r#enum(3).0;
}

#[test]
fn missing_resource_is_named_without_its_raw_mark() {
    let error = run_one::<r#match>(&mut Resources::new()).unwrap_err();
    assert!(error.to_string().contains("needed by `match` ("));
}
