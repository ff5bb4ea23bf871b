//! Orders may stand in attributes, and are blamed where the system is listed.

use schedule::prelude::*;

#[system(after = heal)]
fn poison() {}

#[system(after = poison)]
fn heal() {}

schedule! {
    Frame {
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
