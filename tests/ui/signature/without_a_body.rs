use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(health: &mut Health);

fn main() {}
