use schedule::prelude::*;

#[derive(Branch, Clone, Copy)]
#[branch(crate = schedule, crate = schedule)]
enum Gait {
    Walk,
    Run,
}

fn main() {}
