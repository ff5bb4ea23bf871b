//! An attribute cannot say which one it means.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system(after = poison)]
fn heal() {}

schedule! {
    Frame {
        poison,
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
//~
//~ - poison,
//~ - poison,
//~ - heal,
//~ + poison as first,
//~ + poison as second,
//~ + heal: after second,
