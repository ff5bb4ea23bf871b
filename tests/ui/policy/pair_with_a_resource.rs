//! The two of a pair are systems.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal,
        policy insertion order for (poison, Health),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy insertion order for (poison, Health),
//~ + policy insertion order for (poison, heal),
