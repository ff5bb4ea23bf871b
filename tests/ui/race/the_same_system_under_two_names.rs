//! If a system is listed under two names, the remedy uses these names.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        heal as first,
        heal as second,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal as second,
//~ + heal as second: after first,
