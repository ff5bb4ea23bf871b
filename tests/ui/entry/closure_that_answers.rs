//! The body of a closure must have the declared return type.

use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

schedule! {
    Frame {
        |health: &Health| { health.0 > 0 } as is_alive,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - |health: &Health| { health.0 > 0 } as is_alive,
//~ + |health: &Health| -> bool { health.0 > 0 } as is_alive,
