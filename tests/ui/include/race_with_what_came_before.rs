//! An order of a plugin is one of all that is in it.

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
        draw,
        include Physics,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - include Physics,
//~ + include Physics: after draw,
