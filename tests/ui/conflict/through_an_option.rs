use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(old: Option<&Health>, new: &mut Health) {
    new.0 = old.map_or(0, |old| old.0);
}

fn main() {}
