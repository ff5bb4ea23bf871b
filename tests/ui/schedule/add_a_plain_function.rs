use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

fn poison(health: &mut Health) {
    health.0 -= 1;
}

fn main() {
    Schedule::builder().add::<poison>();
}
