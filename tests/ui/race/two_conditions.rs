//! Two unlisted conditions need an order, too.

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

#[system]
fn lose() {}

schedule! {
    Frame {
        win: if is_lucky,
        lose: if is_cursed,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   win: if is_lucky,
//~ + is_cursed: after is_lucky,
