use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn keep<'r>(mut kept: Local<Vec<&'r Health>>, health: &'r Health) {
    kept.push(health);
}

fn main() {}
