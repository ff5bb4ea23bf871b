//! To be a member of a group takes part in its orders.

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
