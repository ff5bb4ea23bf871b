//! What orders parts of two loops orders the loops.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Resource)]
struct Position;

#[system]
fn is_day() -> bool {
    true
}

#[system]
fn is_night() -> bool {
    true
}

#[system]
fn flee(_: &Health, _: &mut Position) {}

#[system]
fn fall(_: &Position, _: &mut Health) {}

schedule! {
    Frame {
        repeat while is_day { flee },
        repeat while is_night { fall },
        policy writers first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while is_night { fall },
//~ + repeat while is_night { fall: after flee },
