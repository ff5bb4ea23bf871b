//! Empty parentheses name nothing.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison: after (),
        heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: after (),
//~ + poison: after (heal),
