use schedule::prelude::*;

#[derive(Resource)]
struct Frame;

#[system(schedule = Frame)]
fn poison() {}

fn main() {}
