use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(Params)]
#[params(crate = schedule, crate = schedule)]
struct Body<'r> {
    health: &'r mut Health,
}

fn main() {}
