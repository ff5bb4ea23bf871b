use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
async fn spawn<T: Resource>(value: &mut T) {
    let _ = value;
}

fn main() {
    Schedule::builder().add::<spawn<Health>>();
}
