use schedule::prelude::*;

#[derive(Resource)]
#[resource(opaque)]
struct Health(i32);

fn main() {}
