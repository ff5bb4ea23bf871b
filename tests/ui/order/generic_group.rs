use schedule::prelude::*;

#[derive(Group)]
struct Physics<T>(T);

fn main() {}
