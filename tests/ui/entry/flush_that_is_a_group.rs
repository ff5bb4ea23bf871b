//! So is a flush.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

schedule! {
    Frame {
        flush Combat,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - flush Combat,
//~ + group Combat {},
