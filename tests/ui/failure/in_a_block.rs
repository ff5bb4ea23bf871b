//! A failure policy without a system is about the whole schedule.

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
