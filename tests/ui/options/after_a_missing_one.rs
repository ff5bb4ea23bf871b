use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system(after = byte)]
fn poison(health: &mut Health) {
    health.0 -= 1;
}

fn main() {}
