use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[derive(Branch, Clone, Copy)]
enum Gait {
    Walk,
    Run,
}

#[system]
fn gait() -> Gait {
    Gait::Walk
}

#[system(if = is(is_near, Gait::Run))]
fn poison() {}

fn main() {}
