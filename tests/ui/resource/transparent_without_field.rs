use schedule::prelude::*;

#[derive(Resource)]
#[resource(transparent)]
struct Paused;

fn main() {}
