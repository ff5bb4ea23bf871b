use schedule::prelude::*;

#[derive(Branch, Clone, Copy)]
struct Gait;

fn main() {}
