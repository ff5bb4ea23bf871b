use schedule::prelude::*;

#[derive(Checkpoint)]
struct Ready;

#[system(in = Ready)]
fn integrate() {}

fn main() {}
