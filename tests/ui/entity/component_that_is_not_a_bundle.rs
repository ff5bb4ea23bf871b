//! A component is spawned in a tuple.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn launch(mut commands: Commands) {
    commands.spawn(Position);
}

fn main() {}

//~ remedy
//~ - commands.spawn(Position);
//~ + commands.spawn((Position,));
