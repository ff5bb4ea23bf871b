use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system(crate = "schedule")]
fn poison(health: &mut Health) {
    health.0 -= 1;
}

fn main() {}
