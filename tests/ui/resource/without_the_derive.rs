use schedule::prelude::*;

struct Health(i32);

#[system]
fn poison(health: &mut Health) {
    health.0 -= 1;
}

fn main() {}
