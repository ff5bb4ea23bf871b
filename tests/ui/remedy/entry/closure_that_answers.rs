//! The body of a closure has the type that it says.

use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

schedule! {
    Frame {
        |health: &Health| -> bool { health.0 > 0 } as is_alive,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
