//! An order between parts of two loops also orders the two loops, so it can contradict another order.

use schedule::prelude::*;

#[system]
fn is_day() -> bool {
    true
}

#[system]
fn is_night() -> bool {
    true
}

#[system]
fn sow() {}

#[system]
fn reap() {}

#[system]
fn rest() {}

#[system]
fn dream() {}

schedule! {
    Frame {
        repeat while is_day {
            sow,
            reap: after dream,
        }
        repeat while is_night {
            rest: after sow,
            dream,
        }
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - rest: after sow,
//~ + rest,
