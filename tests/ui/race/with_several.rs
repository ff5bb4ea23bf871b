//! What conflicts with several others is told of all of them at once.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

#[system]
fn draw(_: &Health) {}

schedule! {
    Frame {
        poison,
        heal: after poison,
        draw,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - draw,
//~ + draw: after poison after heal,
