use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(Params)]
union Body<'r> {
    health: &'r Health,
}

fn main() {}
