use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(amount: u32, health: &mut Health) {
    health.0 -= amount as i32;
}

fn main() {
    Schedule::builder().add::<poison>();
}
