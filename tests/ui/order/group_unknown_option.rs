use schedule::prelude::*;

#[derive(Group)]
#[group(nested)]
struct Physics;

fn main() {}
