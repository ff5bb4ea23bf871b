//! The policy of a pair can only name entries of the schedule.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

#[system]
fn draw() {}

schedule! {
    Frame {
        poison,
        heal,
        policy accepted "both only add up" for (poison, draw),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   heal,
//~ + draw,
