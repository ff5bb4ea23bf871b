use schedule::prelude::*;

#[system]
static POISON: i32 = 3;

fn main() {}
