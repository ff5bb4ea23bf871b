//! Groups order all of their members.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[derive(Group)]
struct Care;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        group Combat: after Care { poison },
        group Care: after Combat { heal },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - group Care: after Combat { heal },
//~ + group Care { heal },
