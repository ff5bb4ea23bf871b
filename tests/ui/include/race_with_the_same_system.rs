//! If a system is in a plugin and outside of it, an order names the plugin.

use schedule::prelude::*;

#[derive(Resource)]
struct Velocity;

#[system]
fn accelerate(_: &mut Velocity) {}

schedule! {
    Physics {
        accelerate as first,
    }
}

schedule! {
    Frame {
        include Physics,
        accelerate as second,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - accelerate as second,
//~ + accelerate as second: after Physics,
