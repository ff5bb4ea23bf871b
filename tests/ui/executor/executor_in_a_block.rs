//! The executor applies to the whole schedule, so it cannot be in a block.

use schedule::prelude::*;

#[derive(Group)]
struct Pictures;

#[system]
fn film() {}

schedule! {
    Frame {
        group Pictures {
            film,
            executor serial,
        }
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   Frame {
//~ +     executor serial,
//~
//~ - executor serial,
