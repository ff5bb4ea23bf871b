//! So it does behind clauses.

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
