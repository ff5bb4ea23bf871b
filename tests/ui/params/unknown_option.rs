use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(Params)]
#[params(transparent)]
struct Body<'r> {
    health: &'r mut Health,
}

fn main() {}
