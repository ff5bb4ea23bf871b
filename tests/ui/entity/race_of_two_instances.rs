//! Two instances of a generic system access one component.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn clear<C: Component>(_: Query<&mut C>) {}

#[system]
fn count<C: Component>(_: Query<&C>) {}

schedule! {
    Frame {
        clear<Position>,
        count<Position>,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - count<Position>,
//~ + count<Position>: after clear<Position>,
