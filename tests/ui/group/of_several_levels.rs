//! The members of a group are all in the same loop, or all in none.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn is_due() -> bool {
    true
}

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        heal: in Combat,
        repeat while is_due { poison: in Combat },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while is_due { poison: in Combat },
//~ + repeat while is_due: in Combat { poison },
