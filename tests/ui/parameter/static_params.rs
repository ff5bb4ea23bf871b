use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(Params)]
struct Body<'r> {
    health: &'r Health,
}

#[system]
fn poison(body: Body<'static>) {
    let _ = body.health.0;
}

fn main() {}
