use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn count(kept: Local<Health>) {
    let _ = kept.0;
}

fn main() {}
