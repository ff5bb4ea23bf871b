//! What is outside comes before all of a loop, or after all of it.

use schedule::prelude::*;

#[system]
fn is_due() -> bool {
    true
}

#[system]
fn poison() {}

#[system]
fn heal() {}

#[system]
fn wake() {}

schedule! {
    Frame {
        repeat while is_due {
            poison,
            heal,
        }
        wake: after poison before heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - wake: after poison before heal,
//~ + wake: after poison,
