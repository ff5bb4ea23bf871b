//! Every condition of a formula is evaluated, so each needs its order.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn is_hurt(_: &Health) -> bool {
    true
}

#[system]
fn is_brave() -> bool {
    true
}

#[system]
fn poison(_: &mut Health) {}

#[system]
fn flee() {}

schedule! {
    Frame {
        poison,
        flee: if and(not(is_brave), is_hurt),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   poison,
//~ + is_hurt: after poison,
