use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(health: &mut Health, resources: &Resources) {
    health.0 -= resources.len() as i32;
}

fn main() {}
