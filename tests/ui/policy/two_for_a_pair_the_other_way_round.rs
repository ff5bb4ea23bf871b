//! A pair is the same the other way round.

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
        policy reject for (draw, poison),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy reject for (draw, poison),
