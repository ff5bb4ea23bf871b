//! A plugin is verified by itself, so that it names what is in the whole only if that is present.

use schedule::prelude::*;

#[system]
fn accelerate() {}

#[system]
fn draw() {}

schedule! {
    Physics {
        accelerate: after draw,
    }
}

fn main() {
    Physics::new();
}

//~ remedy
//~ - accelerate: after draw,
//~ + accelerate: after_if_present draw,
