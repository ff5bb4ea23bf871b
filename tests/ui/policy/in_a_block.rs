//! A policy is about the whole schedule.

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
            policy as added,
        }
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ -         policy as added,
//~       }
//~ +     policy as added,
//~   }
