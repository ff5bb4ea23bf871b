//! An entry begins with a system or with one of a few words.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        phase Combat { poison },
        heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - phase Combat { poison },
//~ + group Combat { poison },
