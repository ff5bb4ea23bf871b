use schedule::prelude::*;

#[derive(Branch, Clone, Copy)]
enum Gait {}

fn main() {}
