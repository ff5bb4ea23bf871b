use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(Params)]
struct Body<'r> {
    health: &'r mut Health,
    age: Local<'r, u32>,
}

#[system]
fn poison(body: Body, health: &Health) {
    body.health.0 -= health.0;
}

fn main() {}
