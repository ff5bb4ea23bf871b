//! Filters excuse a race only if no entity matches both.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Component)]
struct Frozen;

#[system]
fn melt(_: Query<&mut Position, With<Frozen>>) {}

#[system]
fn integrate(_: Query<&mut Position>) {}

schedule! {
    Frame {
        melt,
        integrate,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - fn integrate(_: Query<&mut Position>) {}
//~ + fn integrate(_: Query<&mut Position, Without<Frozen>>) {}
