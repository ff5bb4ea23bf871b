//! The attribute of an unlisted condition can only name entries of the schedule.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system(after = poison)]
fn is_hurt() -> bool {
    true
}

#[system]
fn heal() {}

schedule! {
    Frame {
        heal: if is_hurt,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   Frame {
//~ +     poison,
