use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn bite(health: &mut Health) {
    health.0 -= 2;
}

#[system(if = bite)]
fn poison() {}

fn main() {}
