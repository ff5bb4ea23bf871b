//! The policy of a resource comes before the one of the schedule.

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
        policy as added,
        policy reject for Health,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
