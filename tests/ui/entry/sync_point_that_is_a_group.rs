//! A sync point needs a type that derives `Checkpoint`.

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
