use schedule::prelude::*;

#[system(if = and())]
fn poison() {}

fn main() {}
