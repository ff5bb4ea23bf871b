//! A group is a type.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn poison() {}

schedule! {
    Frame {
        group { poison },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - group { poison },
//~ + group Combat { poison },
