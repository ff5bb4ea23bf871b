//! The same the other way round: what is listed first comes first in the remedy.

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
