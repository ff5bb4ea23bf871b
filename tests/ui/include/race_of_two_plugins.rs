//! Two plugins have no implicit order.

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
fn smooth(_: &mut Position) {}

schedule! {
    Physics {
        accelerate,
        integrate,
    }
}

schedule! {
    Smoothing {
        smooth,
    }
}

schedule! {
    Frame {
        include Physics,
        include Smoothing,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - include Smoothing,
//~ + include Smoothing: after integrate,
