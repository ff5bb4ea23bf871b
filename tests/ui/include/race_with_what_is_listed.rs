//! What conflicts with a system in a plugin needs an order, too.

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
        draw,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - draw,
//~ + draw: after integrate,
