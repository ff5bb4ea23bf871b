//! A comma must separate a clause and the next entry.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison: before heal heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: before heal heal,
//~ + poison: before heal, heal,
