use schedule::prelude::*;

#[derive(Group)]
struct Physics;

#[system(in = Physics, in = Physics)]
fn integrate() {}

fn main() {}
