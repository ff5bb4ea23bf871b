//! A resource that may be missing is touched all the same.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: Option<&mut Health>) {}

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
