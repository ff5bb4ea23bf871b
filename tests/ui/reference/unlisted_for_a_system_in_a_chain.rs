//! The attribute of a system in a chain can only name entries of the schedule.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system(before = poison)]
fn heal() {}

#[system]
fn draw() {}

schedule! {
    Frame {
        draw -> heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - draw -> heal,
//~ + draw -> heal -> poison,
