//! The parameters of a closure do not conflict.

use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

schedule! {
    Frame {
        |all: &mut Health| { all.0 += all.0 } as heal,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
