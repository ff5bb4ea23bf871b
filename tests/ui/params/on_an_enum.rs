use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(Params)]
enum Body<'r> {
    Health(&'r Health),
}

fn main() {}
