//! Nothing orders two parts but what somebody says.

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
        part Physics,
        part Smoothing,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - part Smoothing,
//~ + part Smoothing: after integrate,
