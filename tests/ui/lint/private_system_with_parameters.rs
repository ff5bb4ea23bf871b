#![deny(dead_code)]

use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(health: &mut Health) {
    health.0 -= 1;
}

fn main() {
    let mut resources = Resources::new();
    resources.insert(Health(1));
}
