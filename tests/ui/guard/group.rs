//! A group cannot be a condition.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison: if Combat,
        heal: in Combat,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: if Combat,
//~ + poison: if is_near,
