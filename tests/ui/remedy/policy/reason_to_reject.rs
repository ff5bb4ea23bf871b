//! Only what is accepted takes a reason.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal,
        policy reject for Health,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
