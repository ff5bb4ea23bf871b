//! A selector is a system, so it needs an order.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Branch, Clone, Copy)]
enum Mood {
    Calm,
    Angry,
}

#[system]
fn mood(_: &Health) -> Mood {
    Mood::Calm
}

#[system]
fn poison(_: &mut Health) {}

#[system]
fn flee() {}

schedule! {
    Frame {
        poison,
        flee: if is(mood, Mood::Angry),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   poison,
//~ + mood: after poison,
