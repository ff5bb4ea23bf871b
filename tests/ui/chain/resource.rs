//! A resource is in no chain.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison() {}

#[system]
fn draw() {}

schedule! {
    Frame {
        poison -> Health -> draw,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison -> Health -> draw,
//~ + poison -> draw,
