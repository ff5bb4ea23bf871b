use schedule::prelude::*;

#[derive(Branch, Clone, Copy)]
enum Gait {
    Walk,
    Run,
}

#[system]
async fn gait() -> Gait {
    Gait::Walk
}

#[system(if = is(gait, Gait::Run))]
fn poison() {}

fn main() {}
