//! The setting for missed commands comes before all entries.

use schedule::prelude::*;

#[system]
fn bury() {}

schedule! {
    Frame {
        bury,
        on missed commands fail,
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
