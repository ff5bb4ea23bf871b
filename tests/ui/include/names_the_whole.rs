//! A plugin is verified separately. It can name systems outside only with orders `if_present`.

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
