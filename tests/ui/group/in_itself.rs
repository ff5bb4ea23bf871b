//! A group is not in itself.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn poison() {}

schedule! {
    Frame {
        group Combat: in Combat { poison },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - group Combat: in Combat { poison },
//~ + group Combat { poison },
