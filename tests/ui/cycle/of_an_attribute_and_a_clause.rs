//! If an attribute and a clause contradict each other, the error is at the clause.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system(after = poison)]
fn heal() {}

schedule! {
    Frame {
        poison: after heal,
        heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: after heal,
//~ + poison,
