//! A number names no branch.

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
        poison: if is(gait, u32::MAX),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: if is(gait, u32::MAX),
//~ + poison: if is(gait, Gait::Run),
