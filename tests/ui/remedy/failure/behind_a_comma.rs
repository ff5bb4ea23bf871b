//! What is said about a system stands behind it without a comma; about the whole schedule, before all entries.

use schedule::prelude::*;

#[system]
fn poison() {}

schedule! {
    Frame {
        poison: on failure stop,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
