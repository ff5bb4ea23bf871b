//! The members of a group must be in the same loop, also if an attribute declares a membership.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn is_due() -> bool {
    true
}

#[system(in = Combat)]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        heal: in Combat,
        repeat while is_due { poison },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - #[system(in = Combat)]
//~ + #[system]
//~
//~ - repeat while is_due { poison },
//~ + repeat while is_due: in Combat { poison },
