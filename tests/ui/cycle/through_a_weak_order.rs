//! An order of two that conflict is an order, and may contradict others.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        poison: after_if_conflicting heal,
        heal: after poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal: after poison,
//~ + heal,
