use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(health: &&Health) {
    let _ = health.0;
}

fn main() {}
