use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(health: &Health) -> Option<()> {
    (health.0 > 0).then_some(())
}

fn main() {}
