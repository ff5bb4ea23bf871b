//! `&Resources` reads everything, so it conflicts with each writer.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn save(_: &Resources) {}

schedule! {
    Frame {
        poison,
        save,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - save,
//~ + save: after poison,
