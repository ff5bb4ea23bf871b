//! From outside, a loop uses all resources of its body.

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
        poison,
        repeat while is_due { heal },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while is_due { heal },
//~ + repeat while is_due { heal: after poison },
