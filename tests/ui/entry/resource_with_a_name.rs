//! A resource with a name is reported once.

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
        poison: after first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - Health as first,
//~ + heal as first,
