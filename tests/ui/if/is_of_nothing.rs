use schedule::prelude::*;

#[system(if = is())]
fn poison() {}

fn main() {}
