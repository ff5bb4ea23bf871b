use schedule::prelude::*;

#[derive(Resource)]
#[resource(transparent = true)]
struct Health(i32);

fn main() {}
