use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system(type = "Venom")]
fn poison(health: &mut Health) {
    health.0 -= 1;
}

fn main() {}
