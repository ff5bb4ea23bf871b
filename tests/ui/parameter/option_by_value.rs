use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(health: Option<Health>) {
    let _ = health.map(|health| health.0);
}

fn main() {}
