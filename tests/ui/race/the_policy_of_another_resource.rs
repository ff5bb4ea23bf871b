//! A policy applies only to its resource.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Resource)]
struct Position;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        poison,
        heal,
        policy insertion order for Position,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal,
//~ + heal: after poison,
