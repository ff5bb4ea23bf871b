//! What is wrong with a part alone is told where it is listed, and not again where it is taken in.

use schedule::prelude::*;

#[derive(Resource)]
struct Position;

#[derive(Resource)]
struct Velocity;

#[system]
fn accelerate(_: &mut Velocity) {}

#[system]
fn integrate(_: &Velocity, _: &mut Position) {}

#[system(after = integrate)]
fn draw(_: &Position) {}

schedule! {
    Physics {
        accelerate,
        integrate,
    }
}

schedule! {
    World {
        part Physics,
    }
}

schedule! {
    Frame {
        part World,
        draw,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - integrate,
//~ + integrate: after accelerate,
