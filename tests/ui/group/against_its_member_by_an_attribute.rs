//! A member cannot be ordered against its group by an attribute.

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
