//! An exclusive system that is listed first needs an order, too.

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
