//! An order of a group applies to its members.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        group Combat: before heal,
        heal: before poison,
        poison: in Combat,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: in Combat,
//~ + poison,
