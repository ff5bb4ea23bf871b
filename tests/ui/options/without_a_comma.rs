use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn bite(health: &mut Health) {
    health.0 -= 2;
}

#[system]
fn spit(health: &mut Health) {
    health.0 -= 3;
}

#[system(after = bite before = spit)]
fn poison(health: &mut Health) {
    health.0 -= 1;
}

fn main() {}
