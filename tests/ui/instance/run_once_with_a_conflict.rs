use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn spawn<T: Resource>(health: &mut Health, other: &mut T) {
    let _ = (health, other);
}

fn main() {
    let _ = schedule::run_one::<spawn<Health>>(&mut Resources::new());
}
