use schedule::prelude::*;

#[system(if = or())]
fn poison() {}

fn main() {}
