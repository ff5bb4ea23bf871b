//! Parts of two loops: the order is one of the loops.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Resource)]
struct Night;

#[derive(Resource)]
struct Day;

#[system]
fn is_night(_: &Night) -> bool {
    true
}

#[system]
fn is_day(_: &Day) -> bool {
    true
}

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        repeat while is_night { poison },
        repeat while is_day { heal },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while is_day { heal },
//~ + repeat while is_day { heal: after poison },
