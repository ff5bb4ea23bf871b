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
        poison: in Fought,
        heal: in Combat,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: in Fought,
//~ + poison: in Combat,
