//! The failure policies of a plugin are declared in the plugin.

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
    Physics {
        accelerate,
        integrate,
    }
}

schedule! {
    Frame {
        include Physics: on failure stop,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   Physics {
//~ +     on failure stop,
//~
//~ - include Physics: on failure stop,
//~ + include Physics,
