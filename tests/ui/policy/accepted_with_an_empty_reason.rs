//! The reason of `accepted` cannot be empty.

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
        policy accepted "" for Health,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy accepted "" for Health,
//~ + policy accepted "both add up" for Health,
