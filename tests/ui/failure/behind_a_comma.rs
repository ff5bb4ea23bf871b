//! What is said about a system stands behind it without a comma; about the whole schedule, before all entries.

use schedule::prelude::*;

#[system]
fn poison() {}

schedule! {
    Frame {
        poison,
        on failure stop,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison,
//~ - on failure stop,
//~ + poison: on failure stop,
