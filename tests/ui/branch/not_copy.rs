use schedule::prelude::*;

#[derive(Branch)]
enum Gait {
    Walk,
    Run,
}

fn main() {}
