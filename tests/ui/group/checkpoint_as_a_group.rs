//! A group is a type that derives it.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[derive(Checkpoint)]
struct Fought;

#[system]
fn poison() {}

schedule! {
    Frame {
        group Fought { poison },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - group Fought { poison },
//~ + group Combat { poison },
