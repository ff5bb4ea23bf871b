//! A resource has one policy.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison() {}

#[system]
fn draw(_: &Health) {}

#[system]
fn hurt(_: &mut Health) {}

schedule! {
    Frame {
        draw,
        hurt: after draw,
        policy insertion order for Health,
        policy reject for Health,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy reject for Health,
