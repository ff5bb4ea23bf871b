#![deny(dead_code)]

use schedule::prelude::*;

#[derive(Resource)]
pub struct Health(pub i32);

#[system]
fn poison(health: &mut Health) {
    health.0 -= 1;
}

fn main() {
    let mut resources = Resources::new();
    resources.insert(Health(1));
    assert_eq!(resources.get::<Health>().map(|health| health.0), Some(1));
}
