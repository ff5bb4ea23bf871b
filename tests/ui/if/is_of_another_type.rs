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

#[derive(Branch, Clone, Copy)]
enum Mood {
    Calm,
    Angry,
}

#[system(if = is(gait, Mood::Calm))]
fn poison() {}

fn main() {}
