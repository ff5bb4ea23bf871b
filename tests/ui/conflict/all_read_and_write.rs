use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(resources: &Resources, health: &mut Health) {
    health.0 -= resources.len() as i32;
}

fn main() {}
