//! An order can only name entries of the schedule.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        heal: after poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   Frame {
//~ +     poison,
