use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn keep(mut kept: Local<Vec<&'static Health>>, health: &Health) {
    kept.push(health);
}

fn main() {}
