use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(amount: fn(i32) -> i32, health: &mut Health) {
    health.0 = amount(health.0);
}

fn main() {}
