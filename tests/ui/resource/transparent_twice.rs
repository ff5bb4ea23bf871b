use schedule::prelude::*;

#[derive(Resource)]
#[resource(transparent, transparent)]
struct Health(i32);

fn main() {}
