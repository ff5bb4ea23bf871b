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
fn bite() {}

#[system(if = is(bite, Gait::Run))]
fn poison() {}

fn main() {}
