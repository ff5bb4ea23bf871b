//! `writers first` does not order two writers.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        poison,
        heal,
        policy writers first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal,
//~ + heal: after poison,
