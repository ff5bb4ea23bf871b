//! A condition is a system. An order of the guarded system does not order the condition.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Resource)]
struct Position;

#[system]
fn is_hurt(_: &Health) -> bool {
    true
}

#[system]
fn poison(_: &mut Health) {}

#[system]
fn flee(_: &mut Position) {}

schedule! {
    Frame {
        poison,
        flee: after poison if is_hurt,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   poison,
//~ + is_hurt: after poison,
