//! A system that is listed twice conflicts with itself. An order needs names.

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
