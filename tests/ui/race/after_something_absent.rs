//! `after_if_present` an absent system has no effect, and does not order systems transitively.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Checkpoint)]
struct Fought;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        poison: before_if_present Fought,
        heal: after_if_present Fought,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal: after_if_present Fought,
//~ + heal: after poison after_if_present Fought,
