//! Orders by `insertion order` do not order other systems.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Resource)]
struct Score;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn count(_: &mut Score, _: &mut Health) {}

#[system]
fn cheer(_: &mut Score) {}

schedule! {
    Frame {
        poison,
        count,
        cheer,
        policy insertion order for Health,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - cheer,
//~ + cheer: after count,
