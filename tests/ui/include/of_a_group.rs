//! A plugin is a schedule.

use schedule::prelude::*;

#[derive(Resource)]
struct Velocity;

#[system]
fn accelerate(_: &mut Velocity) {}

#[derive(Group)]
struct Physics;

schedule! {
    Frame {
        include Physics,
        accelerate: in Physics,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - include Physics,
//~ + group Physics,
