//! A selector needs a branch in a guard.

use schedule::prelude::*;

#[derive(Branch, Clone, Copy)]
enum Gait {
    Walk,
    Run,
}

#[system]
fn gait() -> Gait {
    Gait::Walk
}

#[system]
fn poison() {}

schedule! {
    Frame {
        poison: if gait,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: if gait,
//~ + poison: if is(gait, Gait::Walk),
