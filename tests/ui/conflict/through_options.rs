use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(old: Option<&Health>, new: Option<&mut Health>) {
    if let (Some(old), Some(new)) = (old, new) {
        new.0 = old.0;
    }
}

fn main() {}
