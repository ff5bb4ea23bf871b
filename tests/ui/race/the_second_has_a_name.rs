//! One name is enough for that, whoever has it.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        heal,
        heal as second,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal,
//~ + heal: before second,
