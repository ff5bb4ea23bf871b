//! A plugin is taken in once.

use schedule::prelude::*;

#[derive(Resource)]
struct Position;

#[derive(Resource)]
struct Velocity;

#[system]
fn accelerate(_: &mut Velocity) {}

#[system(after = accelerate)]
fn integrate(_: &Velocity, _: &mut Position) {}

schedule! {
    Physics {
        accelerate,
        integrate,
    }
}

schedule! {
    Frame {
        include Physics,
        include Physics: after accelerate,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - include Physics: after accelerate,
