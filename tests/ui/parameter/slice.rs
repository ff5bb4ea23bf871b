use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(all: &mut [Health]) {
    all[0].0 -= 1;
}

fn main() {}
