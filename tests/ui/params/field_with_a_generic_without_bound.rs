use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(Params)]
struct Body<'r, T> {
    health: &'r mut Health,
    other: &'r T,
}

fn main() {}
