//! The body of a closure must be in braces.

use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

schedule! {
    Frame {
        |health: &mut Health| health.0 += 1,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - |health: &mut Health| health.0 += 1,
//~ + |health: &mut Health| { health.0 += 1 } as heal,
