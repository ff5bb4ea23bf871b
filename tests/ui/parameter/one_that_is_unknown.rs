use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(healht: &mut Healht) {
    healht.0 -= 1;
}

fn main() {}
