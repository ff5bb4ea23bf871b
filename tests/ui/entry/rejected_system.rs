//! A system that is refused is told once, whoever lists it.

use schedule::prelude::*;

#[system]
fn draw() {}

#[system]
async fn poison() {}

schedule! {
    Frame {
        poison,
        draw: after poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - async fn poison() {}
//~ + fn poison() {}
