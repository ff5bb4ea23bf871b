//! A condition of a group is evaluated once, before all members, and needs its own orders.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Group)]
struct Fleeing;

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
        group Fleeing: if is_hurt { flee },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   poison,
//~ + is_hurt: after poison,
