use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison((old, new): (&Health, &mut Health)) {
    new.0 = old.0;
}

fn main() {}
