//! What a plugin lists, and nothing else, is in it.

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
        include Physics,
        draw: after integrate in Physics,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - draw: after integrate in Physics,
//~ + draw: after integrate,
