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
        policy as added for (poison, Health),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy as added for (poison, Health),
//~ + policy as added for (poison, heal),
