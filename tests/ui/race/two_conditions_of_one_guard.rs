//! Two conditions of one formula need an order.

use schedule::prelude::*;

#[derive(Resource)]
struct Seed;

#[system]
fn is_lucky(_: &mut Seed) -> bool {
    true
}

#[system]
fn is_cursed(_: &Seed) -> bool {
    true
}

#[system]
fn win() {}

schedule! {
    Frame {
        win: if and(is_lucky, not(is_cursed)),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   Frame {
//~ +     is_cursed: after is_lucky,
