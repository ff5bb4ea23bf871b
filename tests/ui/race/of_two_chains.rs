//! The systems of two chains are not ordered against each other.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn wake() {}

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

#[system]
fn rest() {}

schedule! {
    Frame {
        wake -> poison,
        rest -> heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - rest -> heal,
//~ + rest,
//~ + heal: after poison,
