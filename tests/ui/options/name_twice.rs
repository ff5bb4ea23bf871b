use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system(name = "venom", name = "toxin")]
fn poison(health: &mut Health) {
    health.0 -= 1;
}

fn main() {}
