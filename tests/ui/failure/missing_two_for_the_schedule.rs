//! A schedule has one setting for missing resources.

use schedule::prelude::*;

#[system]
fn film() {}

schedule! {
    Frame {
        on missing skip,
        on missing refuse,
        film,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - on missing skip,
