use schedule::prelude::*;

#[system(if)]
fn poison() {}

fn main() {}
