use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(health: &Health) -> impl Sized + use<> {
    let _ = health.0;
}

fn main() {}
