use schedule::prelude::*;

#[derive(Branch, Clone, Copy)]
enum Gait<const N: usize> {
    Walk,
    Run,
}

fn main() {}
