//! Components are removed as a tuple of types.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn land(all: Query<Entity>, mut commands: Commands) {
    for entity in all.iter() {
        commands.entity(entity).remove::<Position>();
    }
}

fn main() {}

//~ remedy
//~ - commands.entity(entity).remove::<Position>();
//~ + commands.entity(entity).remove::<(Position,)>();
