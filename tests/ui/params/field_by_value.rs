use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(Params)]
struct Body<'r> {
    health: &'r mut Health,
    age: u32,
}

fn main() {}
