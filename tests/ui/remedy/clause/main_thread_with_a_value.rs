//! `main_thread` takes no value.

use schedule::prelude::*;

#[system]
fn draw() {}

schedule! {
    Frame {
        draw: main_thread,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
