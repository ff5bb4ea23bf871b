use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison((health, amount): (&mut Health, u32)) {
    health.0 -= amount as i32;
}

fn main() {}
