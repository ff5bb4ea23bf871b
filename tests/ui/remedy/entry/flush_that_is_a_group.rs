//! So is a flush.

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
