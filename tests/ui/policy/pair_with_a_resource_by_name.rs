//! A resource with a name in a pair is reported once.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        Health as first,
        poison,
        policy insertion order for (poison, first),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - Health as first,
//~ + heal as first,
