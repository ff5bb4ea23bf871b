use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(resources: &mut Resources, health: &Health) {
    resources.insert(Health(health.0 - 1));
}

fn main() {}
