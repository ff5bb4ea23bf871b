//! An entry must follow an arrow.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison ->,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison ->,
//~ + poison -> heal,
