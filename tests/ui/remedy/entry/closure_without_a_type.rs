//! The parameters of a closure have their types.

use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

schedule! {
    Frame {
        |health: &Health| { let _ = health; } as heal,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
