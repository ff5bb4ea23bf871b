use schedule::prelude::*;

#[derive(Resource)]
#[resource(transparent)]
#[resource(transparent)]
struct Health(i32);

fn main() {}
