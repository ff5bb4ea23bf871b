//! Only systems and loops run on a thread.

use schedule::prelude::*;

#[derive(Group)]
struct Drawing;

#[system]
fn draw() {}

schedule! {
    Frame {
        group Drawing { draw: main_thread }
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
