//! The policy may be the one of a resource.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        poison,
        heal,
        policy writers first for Health,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy writers first for Health,
//~ + policy insertion order for Health,
