use schedule::prelude::*;

#[derive(Branch, Clone, Copy)]
enum Gait {
    Walk = 1,
    Run,
}

fn main() {}
