//! A cycle may go through a part.

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
        part Physics: after draw,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - part Physics: after draw,
//~ + part Physics,
