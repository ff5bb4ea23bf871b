//! A part is a schedule.

use schedule::prelude::*;

#[derive(Resource)]
struct Velocity;

#[system]
fn accelerate(_: &mut Velocity) {}

#[derive(Group)]
struct Physics;

schedule! {
    Frame {
        part Physics,
        accelerate: in Physics,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - part Physics,
//~ + group Physics,
