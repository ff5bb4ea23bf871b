use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn spawn<T: Resource>(value: &mut T) {
    let _ = value;
}

#[system(after = spawn)]
fn poison(health: &mut Health) {
    health.0 -= 1;
}

fn main() {}
