//! A comma must separate a system and a group.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison group Combat { heal }
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison group Combat { heal }
//~ + poison, group Combat { heal }
