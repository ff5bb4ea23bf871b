use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
type Life = Health;

fn main() {}
