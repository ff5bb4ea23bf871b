use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(health: &Health) -> i32 {
    health.0
}

fn main() {}
