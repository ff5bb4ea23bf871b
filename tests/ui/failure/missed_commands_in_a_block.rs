//! The setting for missed commands cannot be in a block.

use schedule::prelude::*;

#[system]
fn bury() {}

#[derive(Group)]
struct Burials;

schedule! {
    Frame {
        group Burials {
            bury,
            on missed commands fail,
        }
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   Frame {
//~ +     on missed commands fail,
//~
//~ - on missed commands fail,
