//! In the remedy, the system that is listed first comes first.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn draw(_: &Health) {}

#[system]
fn poison(_: &mut Health) {}

schedule! {
    Frame {
        draw,
        poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison,
//~ + poison: after draw,
