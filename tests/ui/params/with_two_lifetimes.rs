use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(Params)]
struct Body<'r, 's> {
    health: &'r Health,
    age: Local<'s, u32>,
}

fn main() {}
