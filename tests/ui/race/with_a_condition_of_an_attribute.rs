//! For a condition in an attribute, the error is at the entry of the system.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn is_hurt(_: &Health) -> bool {
    true
}

#[system]
fn poison(_: &mut Health) {}

#[system(if = is_hurt)]
fn flee() {}

schedule! {
    Frame {
        poison,
        flee,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   poison,
//~ + is_hurt: after poison,
