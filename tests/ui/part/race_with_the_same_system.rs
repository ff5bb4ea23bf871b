//! Where a system stands in a part and beside it, an order names the part.

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
        part Physics,
        accelerate as second,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - accelerate as second,
//~ + accelerate as second: after Physics,
