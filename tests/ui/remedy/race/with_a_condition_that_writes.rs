//! A condition may write, and then needs an order against whoever reads.

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
        is_lucky: after shuffle,
        win: if is_lucky,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
