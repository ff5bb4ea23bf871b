//! What an open schedule collects is known when a program is linked: no part of another.

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
    open Physics {
        accelerate,
        integrate,
    }
}

schedule! {
    Frame {
        part Physics,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - open Physics {
//~ + Physics {
