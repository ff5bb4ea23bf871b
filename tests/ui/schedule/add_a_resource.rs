use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

fn main() {
    Schedule::builder().add::<Health>();
}
