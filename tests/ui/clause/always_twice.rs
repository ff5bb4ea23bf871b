//! `always` is given at most once.

use schedule::prelude::*;

#[system]
fn watch() {}

schedule! {
    Frame {
        watch: always always,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - watch: always always,
//~ + watch: always,
