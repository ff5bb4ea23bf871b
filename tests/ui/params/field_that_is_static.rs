use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(Params)]
struct Body<'r> {
    health: &'r mut Health,
    name: &'static Health2,
}

#[derive(Resource)]
struct Health2;

fn main() {}
