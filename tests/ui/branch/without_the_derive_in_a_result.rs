use schedule::prelude::*;

#[derive(Clone, Copy)]
enum Gait {
    Walk,
    Run,
}

#[system]
fn gait() -> Result<Gait, String> {
    Ok(Gait::Run)
}

fn main() {}
