use schedule::prelude::*;

#[derive(Branch, Clone, Copy)]
enum Gait {
    Walk,
    Run { speed: f32 },
}

fn main() {}
