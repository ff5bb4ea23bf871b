//! A group exists if it is listed or has members.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn heal() {}

schedule! {
    Frame {
        heal: after Combat,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal: after Combat,
//~ + heal: after_if_present Combat,
