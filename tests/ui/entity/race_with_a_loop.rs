//! From outside, a loop accesses the components of all entities that its body accesses.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Component)]
struct Frozen;

#[derive(Resource)]
struct Rounds(u32);

#[system]
fn is_due(rounds: &Rounds) -> bool {
    rounds.0 > 0
}

#[system]
fn melt(_: Query<&mut Position, With<Frozen>>) {}

#[system]
fn integrate(_: Query<&mut Position, Without<Frozen>>) {}

schedule! {
    Frame {
        integrate,
        repeat while is_due { melt },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while is_due { melt },
//~ + repeat while is_due { melt: after integrate },
