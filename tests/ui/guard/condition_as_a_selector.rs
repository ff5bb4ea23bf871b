//! A condition returns `bool`, which is not the branch of a selector.

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
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        poison: if is(is_near, Gait::Run),
        gait,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: if is(is_near, Gait::Run),
//~ + poison: if is_near,
