//! Two systems behind the same one are not ordered among each other.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn wake() {}

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        wake,
        poison: after wake,
        heal: after wake,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal: after wake,
//~ + heal: after wake after poison,
