//! A pair is the same by its names.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn draw(_: &Health) {}

schedule! {
    Frame {
        poison as first,
        draw: after first,
        policy insertion order for (poison, draw),
        policy reject for (first, draw),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy reject for (first, draw),
