//! A writer after a system that reads everything needs an order.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn save(_: &Resources) {}

schedule! {
    Frame {
        save,
        poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison,
//~ + poison: after save,
