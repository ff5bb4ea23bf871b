use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

type Life = Health;

#[system]
fn poison(life: &Life, health: &mut Health) {
    health.0 = life.0;
}

fn main() {}
