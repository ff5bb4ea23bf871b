use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system(if = Health)]
fn poison() {}

fn main() {}
