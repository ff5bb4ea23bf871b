//! What a function with `#[system]` may look like: all of it compiles, and runs as the function does.

mod attributes;
mod branch;
mod cfg;
mod elsewhere;
mod generic;
mod guard;
mod handler;
mod lifetimes;
mod macros;
mod many;
mod names;
mod nested;
mod odd_tokens;

use schedule::prelude::*;
use schedule::{System, run_one};

/// What most systems here write.
#[derive(Debug, Default, PartialEq, Resource)]
struct Health(i32);

/// What a health of 10 is after one run of the system alone.
fn after_one<S: System>() -> i32 {
    let mut resources = Resources::new();
    resources.insert(Health(10));
    run_one::<S>(&mut resources).unwrap();
    resources.get::<Health>().unwrap().0
}
