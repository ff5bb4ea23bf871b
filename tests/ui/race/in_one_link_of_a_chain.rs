//! A chain orders its links; the systems of one link it does not.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn wake() {}

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        wake -> (poison, heal),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - wake -> (poison, heal),
//~ + wake -> poison,
//~ + heal: after poison,
