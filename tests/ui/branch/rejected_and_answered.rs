use schedule::prelude::*;

#[derive(Branch, Clone, Copy)]
enum Gait {
    Walk,
    Run = 3,
}

#[system]
fn gait() -> Gait {
    Gait::Walk
}

#[system(if = is(gait, Gait::Run))]
fn tire() {}

fn main() {}
