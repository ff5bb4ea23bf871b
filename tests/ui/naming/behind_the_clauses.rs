//! A name must be before the clauses.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        heal,
        poison: after heal as first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: after heal as first,
//~ + poison as first: after heal,
