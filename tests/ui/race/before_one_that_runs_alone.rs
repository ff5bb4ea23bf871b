//! The same if the one that runs alone stands first.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn draw(_: &Health) {}

#[system]
fn load(_: &mut Resources) {}

schedule! {
    Frame {
        load,
        draw,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - draw,
//~ + draw: after load,
