//! Nor is it in one that is in it.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[derive(Group)]
struct Poisoning;

#[system]
fn poison() {}

schedule! {
    Frame {
        group Combat {
            group Poisoning { poison },
        }
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
