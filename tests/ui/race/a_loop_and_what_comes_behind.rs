//! The same of what is listed behind it: an order against the part is one against the loop.

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
