//! If a system is listed twice, an order against it needs a name.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn draw(_: &Health) {}

schedule! {
    Frame {
        poison as first,
        poison: after first,
        draw: after first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: after first,
//~ - draw: after first,
//~ + poison as second: after first,
//~ + draw: after (first, second),
