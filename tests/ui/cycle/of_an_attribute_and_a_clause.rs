//! Of an attribute and a clause, the clause is blamed.

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
