use schedule::prelude::*;

#[derive(Branch, Clone, Copy)]
union Gait {
    walk: u32,
    run: f32,
}

fn main() {}
