//! One name is enough to order the two.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        heal as first,
        heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal,
//~ + heal: after first,
