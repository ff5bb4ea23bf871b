//! An order is transitive, so it may contradict several others together.

use schedule::prelude::*;

#[system]
fn input() {}

#[system]
fn movement() {}

#[system]
fn render() {}

schedule! {
    Frame {
        input,
        movement: after input,
        render: after movement,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
