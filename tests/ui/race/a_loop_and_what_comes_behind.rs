//! A system after a loop can conflict with the loop body. An order against a system of the body applies to the loop.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Resource)]
struct Clock;

#[system]
fn is_due(_: &mut Clock) -> bool {
    true
}

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        repeat while is_due { poison },
        heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal,
//~ + heal: after poison,
