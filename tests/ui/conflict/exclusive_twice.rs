use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn swap(one: &mut Resources, other: &mut Resources) {
    core::mem::swap(one, other);
}

fn main() {}
