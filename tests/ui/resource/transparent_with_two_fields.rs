use schedule::prelude::*;

#[derive(Resource)]
#[resource(transparent)]
struct Health(i32, i32);

fn main() {}
