use schedule::prelude::*;

#[derive(Resource)]
struct Counter(std::cell::Cell<u32>);

fn main() {}
