use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[derive(Resource)]
struct Health(i32);

#[system]
fn is_alive(health: &Health) -> bool {
    health.0 > 0
}

#[system(if = (is_near is_alive))]
fn poison() {}

fn main() {}
