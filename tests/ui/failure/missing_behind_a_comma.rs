//! The setting of an entry is a clause, without a comma. That of the schedule comes before all entries.

use schedule::prelude::*;

#[system]
fn film() {}

schedule! {
    Frame {
        film,
        on missing skip,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - film,
//~ - on missing skip,
//~ + film: on missing skip,
