//! An order against a group is one against each of its members.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison: after heal,
        group Combat: after poison { heal },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - group Combat: after poison { heal },
//~ + group Combat { heal },
