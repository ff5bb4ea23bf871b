//! A resource is no system.

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
