use schedule::prelude::*;

#[derive(Resource)]
#[resource(transparent)]
enum Health {
    Points(i32),
}

fn main() {}
