//! The reader of one resource that others put before the writer.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Resource)]
struct Position;

#[system]
fn flee(_: &Health, _: &mut Position) {}

#[system]
fn draw(_: &Position) {}

#[system]
fn fall(_: &mut Health) {}

schedule! {
    Frame {
        flee,
        draw,
        fall: after draw,
        policy writers first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - flee,
//~ + flee: before draw,
