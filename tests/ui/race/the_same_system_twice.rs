//! A system that stands twice conflicts with itself; it takes names to order the two.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        heal,
        heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal,
//~ - heal,
//~ + heal as first,
//~ + heal as second: after first,
