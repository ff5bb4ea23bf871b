//! The elements of a tuple count as parameters.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Resource)]
struct Score;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: (&mut Health, &Score)) {}

schedule! {
    Frame {
        poison,
        heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal,
//~ + heal: after poison,
