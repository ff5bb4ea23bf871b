//! A failure policy that is not a clause applies to the whole schedule, so it cannot be in a block.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn heal() {}

schedule! {
    Frame {
        group Combat {
            heal,
            on failure stop,
        }
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   Frame {
//~ +     on failure stop,
//~
//~ - on failure stop,
