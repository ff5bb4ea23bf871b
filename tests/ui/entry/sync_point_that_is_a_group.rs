//! So is a sync point.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

schedule! {
    Frame {
        apply_commands Combat,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - apply_commands Combat,
//~ + group Combat {},
