//! The parameters of a closure have their types.

use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

schedule! {
    Frame {
        |health| { let _ = health; } as heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - |health| { let _ = health; } as heal,
//~ + |health: &Health| { let _ = health; } as heal,
