use schedule::prelude::*;

#[derive(Resource)]
union Health {
    points: u32,
    percent: f32,
}

fn main() {}
