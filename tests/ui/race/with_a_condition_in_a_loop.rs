//! An unlisted condition of a system in a loop is in the loop.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Resource)]
struct Clock;

#[system]
fn is_due(_: &mut Clock) -> bool {
    true
}

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
        repeat while is_due {
            poison,
            flee: if is_hurt,
        }
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   poison,
//~ + is_hurt: after poison,
