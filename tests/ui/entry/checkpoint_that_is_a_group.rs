//! A checkpoint is a type that derives it.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

schedule! {
    Frame {
        checkpoint Combat,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - checkpoint Combat,
//~ + group Combat {},
