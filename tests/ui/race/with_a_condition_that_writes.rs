//! A condition may write, and then needs an order against readers.

use schedule::prelude::*;

#[derive(Resource)]
struct Seed;

#[system]
fn is_lucky(_: &mut Seed) -> bool {
    true
}

#[system]
fn shuffle(_: &Seed) {}

#[system]
fn win() {}

schedule! {
    Frame {
        shuffle,
        win: if is_lucky,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   shuffle,
//~ + is_lucky: after shuffle,
