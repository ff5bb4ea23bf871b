use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

fn bite() {}

#[system(after = bite)]
fn poison(health: &mut Health) {
    health.0 -= 1;
}

fn main() {}
