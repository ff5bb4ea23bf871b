use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(Params)]
struct Body<'r> {
    health: &'r mut Health,
}

#[system]
fn poison(body: Body, resources: &mut Resources) {
    body.health.0 -= resources.len() as i32;
}

fn main() {}
