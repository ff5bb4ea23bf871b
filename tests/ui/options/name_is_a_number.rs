use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system(name = 3)]
fn poison(health: &mut Health) {
    health.0 -= 1;
}

fn main() {}
