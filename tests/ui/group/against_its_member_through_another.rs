//! A member of an inner group is a member, too.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[derive(Group)]
struct Venoms;

#[system]
fn poison() {}

schedule! {
    Frame {
        group Combat {
            group Venoms { poison: before Combat },
        }
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - group Venoms { poison: before Combat },
//~ + group Venoms { poison },
