//! A loop uses the resources of its condition.

use schedule::prelude::*;

#[derive(Resource)]
struct Clock;

#[system]
fn is_due(_: &mut Clock) -> bool {
    true
}

#[system]
fn tick(_: &mut Clock) {}

#[system]
fn step() {}

schedule! {
    Frame {
        tick,
        repeat while is_due { step },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while is_due { step },
//~ + repeat while is_due: after tick { step },
