//! The branch in a guard must exist.

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
        poison: if is(gait, Gait::Fly),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: if is(gait, Gait::Fly),
//~ + poison: if is(gait, Gait::Run),
