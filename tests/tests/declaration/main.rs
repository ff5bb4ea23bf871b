//! All forms of functions with `#[system]`. They compile, and the system behaves like the function.

mod attributes;
mod branch;
mod cfg;
mod elsewhere;
mod fake_crate;
mod generic;
mod guard;
mod handler;
mod lifetimes;
mod macros;
mod many;
mod names;
mod nested;
mod odd_tokens;
mod raw_names;

use schedule::prelude::*;
use schedule::{System, run_one};

/// The resource that most systems of these tests write.
#[derive(Debug, Default, PartialEq, Resource)]
struct Health(i32);

/// Returns the health after one run of only this system. The initial value is 10.
fn after_one<S: System>() -> i32 {
    let mut resources = Resources::new();
    resources.insert(Health(10));
    run_one::<S>(&mut resources).unwrap();
    resources.get::<Health>().unwrap().0
}
