//! The clauses of an entry follow each other without commas.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

#[system]
fn rest() {}

schedule! {
    Frame {
        poison,
        heal: after poison, before rest,
        rest,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal: after poison, before rest,
//~ + heal: after poison before rest,
