//! So is one whose parameters conflict.

use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(health: &mut Health) {
    health.0 -= health.0 / 2;
}

schedule! {
    Frame {
        poison,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
