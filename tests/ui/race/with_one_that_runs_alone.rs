//! `&mut Resources` runs alone, so it needs a place in the order of every other system.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn draw(_: &Health) {}

#[system]
fn load(_: &mut Resources) {}

schedule! {
    Frame {
        draw,
        load,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - load,
//~ + load: after draw,
