//! An order of a part is one of all that is in it.

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
        part Physics,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - part Physics,
//~ + part Physics: after draw,
