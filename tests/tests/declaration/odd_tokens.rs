//! Types and bodies that parse in unusual ways.
#![allow(
    unused_parens,
    unused_braces,
    clippy::unused_unit,
    clippy::type_complexity,
    clippy::too_many_arguments,
    reason = "they are what is tried"
)]

use schedule::prelude::*;

use crate::{Health, after_one};

#[system]
fn in_brackets(health: (&mut Health), other: (Option<(&(Other))>), (state): (Local<(u8)>)) {
    health.0 -= 1 + other.is_some() as i32 + *state as i32;
}

#[system]
fn by_long_paths(
    health: &mut crate::Health,
    state: schedule::Local<'_, ::std::vec::Vec<<Other as Holds>::Held>>,
    other: ::core::option::Option<&'_ self::Other>,
) -> ::core::result::Result<(), ::std::boxed::Box<dyn ::std::error::Error + Send + Sync>> {
    health.0 -= 1 + state.len() as i32 + other.is_some() as i32;
    Ok(())
}

#[system]
fn with_types_that_hold_code(
    health: &mut Health,
    _: Local<Option<[u8; { 1 + 2 }]>>,
    _: Local<Option<fn(&u8, for<'a> fn(&'a u8) -> &'a u8) -> bool>>,
    _: Local<Option<Box<dyn for<'a> Fn(&'a u8) -> &'a u8 + Send>>>,
    _: Local<Option<Array<{ 3 > 2 }>>>,
    _: Local<Option<Box<dyn Iterator<Item = u8> + Send>>>,
    (): (),
    ((), ((),)): ((), ((),)),
) {
    health.0 -= 1;
}

#[system]
fn with_a_body_that_is_no_plain_one(health: &mut Health) -> bool {
    #![allow(clippy::let_and_return, reason = "an inner attribute is what is tried")]
    //! And an inner doc.
    let answer = 'outer: loop {
        if health.0 > 0 {
            break 'outer { health.0 } > 0;
        }
    };
    health.0 -= 1;
    answer
}

#[system]
fn explicitly_nothing(health: &mut Health) -> () {
    health.0 -= 1
}

#[system]
fn nothing_in_brackets(health: &mut Health) -> (()) {
    health.0 -= 1
}

#[system]
fn a_bool_in_brackets(health: &mut Health) -> (bool) {
    health.0 -= 1;
    true
}

#[rustfmt::skip]
#[system(after=in_brackets,before=by_long_paths,)]
fn without_spaces(health:&mut Health,other:Option<&mut Other,>,){let _=other;health.0-=1}

#[derive(Resource)]
struct Other;

trait Holds {
    type Held;
}

impl Holds for Other {
    type Held = u8;
}

struct Array<const B: bool>;

#[test]
fn any_tokens_that_make_a_function_make_a_system() {
    assert_eq!(after_one::<in_brackets>(), 9);
    assert_eq!(after_one::<by_long_paths>(), 9);
    assert_eq!(after_one::<with_types_that_hold_code>(), 9);
    assert_eq!(after_one::<with_a_body_that_is_no_plain_one>(), 9);
    assert_eq!(after_one::<explicitly_nothing>(), 9);
    assert_eq!(after_one::<nothing_in_brackets>(), 9);
    assert_eq!(after_one::<a_bool_in_brackets>(), 9);
    assert_eq!(after_one::<without_spaces>(), 9);
}
