use schedule::prelude::*;

#[derive(Clone, Copy)]
enum Gait {
    Walk,
    Run,
}

#[system]
fn gait() -> Gait {
    Gait::Run
}

fn main() {}
