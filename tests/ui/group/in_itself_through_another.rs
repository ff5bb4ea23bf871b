//! A group cannot be in a group that it contains.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[derive(Group)]
struct Poisoning;

#[system]
fn poison() {}

schedule! {
    Frame {
        group Combat: in Poisoning {
            group Poisoning { poison },
        }
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - group Combat: in Poisoning {
//~ + group Combat {
