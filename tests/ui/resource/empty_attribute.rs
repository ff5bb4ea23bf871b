use schedule::prelude::*;

#[derive(Resource)]
#[resource]
struct Health(i32);

fn main() {}
