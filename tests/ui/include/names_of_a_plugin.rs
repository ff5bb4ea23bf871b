//! Names in a plugin are for the plugin.

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
        integrate as last,
    }
}

schedule! {
    Frame {
        include Physics,
        draw: after last,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - draw: after last,
//~ + draw: after Physics,
