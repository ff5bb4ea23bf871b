//! Between a system and a group stands a comma, too.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison group Combat { heal }
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison group Combat { heal }
//~ + poison, group Combat { heal }
