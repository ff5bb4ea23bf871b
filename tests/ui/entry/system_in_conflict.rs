//! The parameters of a system must not conflict.

use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(one: &Health, other: &mut Health) {
    other.0 -= one.0 / 2;
}

schedule! {
    Frame {
        poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - fn poison(one: &Health, other: &mut Health) {
//~ -     other.0 -= one.0 / 2;
//~ + fn poison(health: &mut Health) {
//~ +     health.0 -= health.0 / 2;
