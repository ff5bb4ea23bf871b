use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(health: &Health) -> Result<i32, String> {
    Ok(health.0)
}

fn main() {}
