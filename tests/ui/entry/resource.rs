//! A resource cannot be an entry.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison() {}

schedule! {
    Frame {
        poison,
        Health,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - Health,
