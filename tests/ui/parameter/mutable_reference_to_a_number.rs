use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn count(health: &Health, n_alive: &mut u32) {
    *n_alive += (health.0 > 0) as u32;
}

fn main() {}
