use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison((resources, health): (&mut Resources, &Health)) {
    resources.insert(Health(health.0 - 1));
}

fn main() {}
