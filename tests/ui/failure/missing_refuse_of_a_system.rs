//! A single system cannot refuse the run if the schedule does not.

use schedule::prelude::*;

#[system]
fn film() {}

schedule! {
    Frame {
        film: on missing refuse,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - film: on missing refuse,
//~ + film,
