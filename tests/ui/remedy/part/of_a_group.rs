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
        group Physics,
        accelerate: in Physics,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
