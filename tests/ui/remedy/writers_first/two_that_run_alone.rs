//! Two systems that run alone write everything.

use schedule::prelude::*;

#[system]
fn load(_: &mut Resources) {}

#[system]
fn save(_: &mut Resources) {}

schedule! {
    Frame {
        save,
        load: after save,
        policy writers first,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
