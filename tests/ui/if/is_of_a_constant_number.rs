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

const FASTEST: u32 = 1;

#[system(if = is(gait, FASTEST))]
fn poison() {}

fn main() {}
