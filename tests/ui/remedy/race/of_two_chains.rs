//! A chain orders what is in it against nothing else.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn wake() {}

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

#[system]
fn rest() {}

schedule! {
    Frame {
        wake -> poison,
        rest,
        heal: after poison,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
