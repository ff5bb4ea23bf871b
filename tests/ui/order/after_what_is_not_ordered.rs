use schedule::prelude::*;

struct NotOrdered;

#[system(after = NotOrdered)]
fn integrate() {}

fn main() {}
