//! An alias of a type is the same resource.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

type Life = Health;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Life) {}

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
