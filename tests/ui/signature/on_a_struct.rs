use schedule::prelude::*;

#[system]
struct Poison(i32);

fn main() {}
