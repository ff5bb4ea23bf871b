use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(new: &mut Health, old: &Health) {
    new.0 = old.0;
}

fn main() {}
