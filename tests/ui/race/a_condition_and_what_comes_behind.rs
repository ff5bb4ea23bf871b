//! An unlisted condition can be named in an order.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn is_hurt(_: &Health) -> bool {
    true
}

#[system]
fn flee() {}

#[system]
fn poison(_: &mut Health) {}

schedule! {
    Frame {
        flee: if is_hurt,
        poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison,
//~ + poison: after is_hurt,
