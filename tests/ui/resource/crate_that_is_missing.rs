use schedule::prelude::*;

#[derive(Resource)]
#[resource(crate = timetable)]
struct Health(i32);

fn main() {}
