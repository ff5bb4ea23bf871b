//! The policy of a pair excuses that pair and no other.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

#[system]
fn bleed(_: &mut Health) {}

schedule! {
    Frame {
        poison,
        bleed: after poison,
        heal: after poison,
        policy accepted "both only add up" for (poison, bleed),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal: after poison,
//~ + heal: after poison after bleed,
