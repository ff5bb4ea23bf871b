use schedule::prelude::*;

#[derive(Params)]
struct Body;

fn main() {}
