use schedule::prelude::*;

#[derive(Branch, Clone, Copy)]
#[branch(default)]
enum Gait {
    Walk,
    Run,
}

fn main() {}
