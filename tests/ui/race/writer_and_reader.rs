//! A system that writes a resource and one that reads it need an order.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn draw(_: &Health) {}

schedule! {
    Frame {
        poison,
        draw,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - draw,
//~ + draw: after poison,
