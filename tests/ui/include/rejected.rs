//! A rejected plugin causes no further errors.

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
        integrate: unless draw,
    }
}

schedule! {
    Frame {
        include Physics,
        draw: after integrate,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - integrate: unless draw,
//~ + integrate,
