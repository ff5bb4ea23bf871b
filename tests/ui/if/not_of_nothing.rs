use schedule::prelude::*;

#[system(if = not())]
fn poison() {}

fn main() {}
