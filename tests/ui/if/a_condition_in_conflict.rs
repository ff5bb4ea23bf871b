use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn is_alive(health: &Health, other: &mut Health) -> bool {
    health.0 > other.0
}

#[system(if = is_alive)]
fn poison() {}

fn main() {}
