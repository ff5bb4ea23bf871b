use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(Params)]
struct Body<'r> {
    health: &'r mut Health,
}

#[system]
fn poison(body: Option<Body>) {
    let _ = body.map(|body| body.health.0);
}

fn main() {}
