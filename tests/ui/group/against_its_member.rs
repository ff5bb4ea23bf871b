//! A member cannot be ordered against its group.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn poison() {}

schedule! {
    Frame {
        group Combat { poison: after Combat },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - group Combat { poison: after Combat },
//~ + group Combat { poison },
