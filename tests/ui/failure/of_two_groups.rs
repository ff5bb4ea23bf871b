//! A system has one failure policy: two groups that it is in have different ones.

use schedule::prelude::*;

#[derive(Group)]
struct Fire;

#[derive(Group)]
struct Ice;

#[system(in = (Fire, Ice))]
fn steam() {}

schedule! {
    Frame {
        steam,
        group Fire: on failure stop,
        group Ice: on failure carry on,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - steam,
//~ + steam: on failure stop,
