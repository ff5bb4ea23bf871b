use schedule::prelude::*;

struct Physics;

#[system(in = Physics)]
fn integrate() {}

fn main() {}
