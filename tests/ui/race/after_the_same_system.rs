//! Two systems after the same system are not ordered against each other.

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
