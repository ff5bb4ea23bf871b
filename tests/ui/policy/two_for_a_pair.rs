//! A pair has one policy.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn draw(_: &Health) {}

schedule! {
    Frame {
        poison,
        draw: after poison,
        policy insertion order for (poison, draw),
        policy reject for (poison, draw),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy reject for (poison, draw),
