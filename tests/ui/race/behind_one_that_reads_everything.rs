//! The same if that one comes first.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn save(_: &Resources) {}

schedule! {
    Frame {
        save,
        poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison,
//~ + poison: after save,
