use schedule::prelude::*;

#[system]
const POISON: i32 = 3;

fn main() {}
