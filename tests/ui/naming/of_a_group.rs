//! A group has the name of its type.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        group Combat as first { poison },
        heal: after first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - group Combat as first { poison },
//~ - heal: after first,
//~ + group Combat { poison },
//~ + heal: after Combat,
