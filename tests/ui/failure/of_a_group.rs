//! A group does not fail; what is in it does.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn heal() {}

schedule! {
    Frame {
        group Combat: on failure stop { heal },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - group Combat: on failure stop { heal },
//~ + group Combat { heal: on failure stop },
