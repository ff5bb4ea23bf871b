use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn copy(from: &Resources, to: &mut Resources) {
    to.insert(Health(from.get::<Health>().map_or(0, |health| health.0)));
}

fn main() {}
