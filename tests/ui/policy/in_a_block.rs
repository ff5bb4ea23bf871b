//! A policy applies to the whole schedule, so it cannot be in a block.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        group Combat {
            heal,
            policy insertion order,
        }
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ -         policy insertion order,
//~       }
//~ +     policy insertion order,
//~   }
