use schedule::prelude::*;

#[derive(Resource)]
#[resource(crate = schedule, crate = schedule)]
struct Health(i32);

fn main() {}
