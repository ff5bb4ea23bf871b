//! An unlisted condition is a node at each level; if it writes, these nodes conflict.

use schedule::prelude::*;

#[derive(Resource)]
struct Seed;

#[derive(Resource)]
struct Clock;

#[system]
fn is_due(_: &mut Clock) -> bool {
    true
}

#[system]
fn is_lucky(_: &mut Seed) -> bool {
    true
}

#[system]
fn win() {}

#[system]
fn cheer() {}

schedule! {
    Frame {
        win: if is_lucky,
        repeat while is_due { cheer: if is_lucky },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   Frame {
//~ +     is_lucky,
