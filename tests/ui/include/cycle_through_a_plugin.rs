//! A cycle may go through a plugin.

use schedule::prelude::*;

#[derive(Resource)]
struct Position;

#[derive(Resource)]
struct Velocity;

#[system]
fn accelerate(_: &mut Velocity) {}

#[system(after = accelerate)]
fn integrate(_: &Velocity, _: &mut Position) {}

#[system]
fn draw(_: &Position) {}

schedule! {
    Physics {
        accelerate,
        integrate,
    }
}

schedule! {
    Frame {
        draw: after integrate,
        include Physics: after draw,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - include Physics: after draw,
//~ + include Physics,
