use schedule::prelude::*;

struct NotOrdered;

#[system(before_if_conflicting = NotOrdered)]
fn integrate() {}

fn main() {}
