//! Systems, groups, checkpoints and loops have an order; resources have none.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison() {}

schedule! {
    Frame {
        poison,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
