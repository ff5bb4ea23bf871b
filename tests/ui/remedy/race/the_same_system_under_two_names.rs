//! With names, the remedy has them.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        heal as first,
        heal as second: after first,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
