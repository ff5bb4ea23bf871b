//! The policy may be the one of a pair.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        poison,
        heal: after poison,
        policy writers first for (poison, heal),
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
