//! What is in a group in it is a member.

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
