use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

type Forever = &'static Health;

#[system]
fn poison(health: Forever) {
    let _ = health.0;
}

fn main() {}
