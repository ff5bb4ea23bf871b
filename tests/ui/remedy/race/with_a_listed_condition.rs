//! The same of a condition that is listed.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn is_hurt(_: &Health) -> bool {
    true
}

#[system]
fn poison(_: &mut Health) {}

#[system]
fn flee() {}

schedule! {
    Frame {
        poison,
        is_hurt: after poison,
        flee: if is_hurt,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
