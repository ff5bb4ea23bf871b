use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn spawn<T: Resource>(health: &mut Health, other: &mut T) {
    let _ = (health, other);
}

fn main() {
    Schedule::builder().add::<spawn<Health>>();
}
