//! `always` takes no value.

use schedule::prelude::*;

#[system]
fn watch() {}

schedule! {
    Frame {
        watch: always = true,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - watch: always = true,
//~ + watch: always,
