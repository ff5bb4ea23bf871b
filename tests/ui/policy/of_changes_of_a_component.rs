//! The policy of the changes that commands make does not apply to queries.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn integrate(_: Query<&mut Position>) {}

#[system]
fn draw(_: Query<&Position>) {}

schedule! {
    Frame {
        integrate,
        draw,
        policy insertion order for deferred Position,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy insertion order for deferred Position,
//~ + policy insertion order for component Position,
