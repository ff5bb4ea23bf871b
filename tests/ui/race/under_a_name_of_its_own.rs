//! A system may call itself otherwise; a remedy has the path that the listing has.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system(name = "venom")]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

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
