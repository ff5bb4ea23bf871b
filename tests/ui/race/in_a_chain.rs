//! A system of a chain needs an order against the others that it conflicts with, too.

use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(health: &mut Health) {
    health.0 -= 1;
}

#[system]
fn heal(health: &mut Health) {
    health.0 += 1;
}

#[system]
fn draw() {}

schedule! {
    Frame {
        draw -> heal,
        poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison,
//~ + poison: after heal,
