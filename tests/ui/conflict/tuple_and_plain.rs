use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(mut old: (Local<u32>, &Health), new: &mut Health) {
    *old.0 += 1;
    new.0 = old.1.0;
}

fn main() {}
