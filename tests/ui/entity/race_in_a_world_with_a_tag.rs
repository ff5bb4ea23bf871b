//! The components of a world with a tag are named with the world.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Identity)]
struct Ships;

#[system]
fn sail(_: Query<&mut Position, (), Ships>) {}

#[system]
fn sink(_: Query<&mut Position, (), Ships>) {}

#[system]
fn integrate(_: Query<&mut Position>) {}

schedule! {
    Frame {
        sail,
        sink,
        integrate,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - sink,
//~ + sink: after sail,
