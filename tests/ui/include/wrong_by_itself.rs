//! An error inside a plugin is reported where the plugin is listed, and not again where it is included.

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
        include Physics,
    }
}

schedule! {
    Frame {
        include World,
        draw,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - integrate,
//~ + integrate: after accelerate,
