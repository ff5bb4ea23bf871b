//! A plugin declares which of its systems always run.

use schedule::prelude::*;

#[system]
fn watch() {}

schedule! { Safety { watch } }

schedule! {
    Frame {
        include Safety: always,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - schedule! { Safety { watch } }
//~ + schedule! { Safety { watch: always } }
//~
//~ - include Safety: always,
//~ + include Safety,
