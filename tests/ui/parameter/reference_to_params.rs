use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(Params)]
struct Body<'r> {
    health: &'r mut Health,
}

#[system]
fn poison(body: &mut Body) {
    body.health.0 -= 1;
}

fn main() {}
