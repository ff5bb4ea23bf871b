//! A state is a branch with an identity.

use schedule::prelude::*;

#[derive(Branch, schedule::Identity, Clone, Copy)]
enum Phase {
    Day,
    Night,
}

#[system]
fn poison() {}

schedule! {
    Frame {
        schedule::transition<Phase>,
        poison: on enter Phase::Night,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
