use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system(after = Health)]
fn poison(health: &mut Health) {
    health.0 -= 1;
}

fn main() {}
