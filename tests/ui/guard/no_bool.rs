//! A condition returns `bool`.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison: if heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: if heal,
//~ + poison: if is_hurt,
