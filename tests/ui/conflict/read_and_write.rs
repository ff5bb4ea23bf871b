use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(old: &Health, new: &mut Health) {
    new.0 = old.0;
}

fn main() {}
