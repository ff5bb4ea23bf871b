//! One name is enough for that, whoever has it.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        heal: before second,
        heal as second,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
