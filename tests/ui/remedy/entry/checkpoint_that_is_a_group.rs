//! A checkpoint is a type that derives it.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

schedule! {
    Frame {
        group Combat {},
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
