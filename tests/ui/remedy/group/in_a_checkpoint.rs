//! Nothing is in a checkpoint.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[derive(Checkpoint)]
struct Fought;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison: in Combat,
        heal: in Combat,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
