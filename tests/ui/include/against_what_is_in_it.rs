//! A plugin is ordered with all that is in it.

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
        include Physics: after accelerate,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - include Physics: after accelerate,
//~ + include Physics,
