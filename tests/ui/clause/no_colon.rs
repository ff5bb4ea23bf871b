//! A colon must be before the clauses.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal after poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal after poison,
//~ + heal: after poison,
