//! Several systems that all write one resource are one error, with the orders that end all of their races.

use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(_health: &mut Health) {}

#[system]
fn starve(_health: &mut Health) {}

#[system]
fn freeze(_health: &mut Health) {}

#[system]
fn heal(_health: &mut Health) {}

schedule! {
    Frame {
        poison,
        heal: after freeze,
        starve,
        freeze,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - starve,
//~ + starve: after poison,
//~ - freeze,
//~ + freeze: after starve,
