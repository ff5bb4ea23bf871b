//! A listed condition needs an order.

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
        is_hurt,
        flee: if is_hurt,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - is_hurt,
//~ + is_hurt: after poison,
