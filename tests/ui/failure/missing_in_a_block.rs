//! A setting that is not a clause applies to the whole schedule, so it cannot be in a block.

use schedule::prelude::*;

#[derive(Group)]
struct Pictures;

#[system]
fn film() {}

schedule! {
    Frame {
        group Pictures {
            film,
            on missing skip,
        }
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   Frame {
//~ +     on missing skip,
//~
//~ - on missing skip,
