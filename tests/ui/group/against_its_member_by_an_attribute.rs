//! The same, declared by attributes.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system(in = Combat, before = Combat)]
fn poison() {}

schedule! {
    Frame {
        poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - #[system(in = Combat, before = Combat)]
//~ + #[system(in = Combat)]
