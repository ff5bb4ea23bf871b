use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

mod bite {}

#[system(before = bite)]
fn poison(health: &mut Health) {
    health.0 -= 1;
}

fn main() {}
