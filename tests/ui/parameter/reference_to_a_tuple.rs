//! A parameter that is a value of its own is taken by value.

use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(value: &(&Health, Local<u32>)) {
    let _ = value;
}

fn main() {}
