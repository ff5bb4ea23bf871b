//! A plugin has no name but its own.

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
        include Physics as first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - include Physics as first,
//~ + include Physics,
