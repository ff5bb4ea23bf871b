//! If attributes contradict each other, the error is at the entry of a system.

use schedule::prelude::*;

#[system(after = heal)]
fn poison() {}

#[system(after = poison)]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - #[system(after = poison)]
//~ + #[system]
