use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system(speed = 3)]
fn poison(health: &mut Health) {
    health.0 -= 1;
}

fn main() {}
