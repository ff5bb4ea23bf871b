use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

struct Body<'r> {
    health: &'r mut Health,
}

#[system]
fn poison(body: Body) {
    body.health.0 -= 1;
}

fn main() {}
