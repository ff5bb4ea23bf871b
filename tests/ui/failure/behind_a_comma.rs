//! The failure policy of an entry is a clause, without a comma. That of the schedule comes before all entries.

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
