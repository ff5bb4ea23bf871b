//! A clause is said about one entry.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn poison() {}

#[system]
fn heal() {}

#[system]
fn draw() {}

schedule! {
    Frame {
        poison -> (heal: if is_hurt, draw: if is_hurt),
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
