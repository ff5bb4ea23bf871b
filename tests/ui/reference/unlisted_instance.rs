//! An instance of a generic system must be listed itself.

use schedule::{Identity, prelude::*};

#[derive(Identity)]
struct Sheep;

#[derive(Identity)]
struct Wolf;

#[system]
fn spawn<T: Identity>() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        spawn<Sheep>,
        heal: after spawn<Wolf>,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   spawn<Sheep>,
//~ + spawn<Wolf>,
