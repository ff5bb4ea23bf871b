//! A group cannot be ordered against its member.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn poison() {}

schedule! {
    Frame {
        group Combat: after poison { poison },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - group Combat: after poison { poison },
//~ + group Combat { poison },
