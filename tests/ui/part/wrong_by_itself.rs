//! An error inside a part is reported where the part is listed, and not again where it is included.

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
