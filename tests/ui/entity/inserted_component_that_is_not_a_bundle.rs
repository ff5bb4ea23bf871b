//! A component is inserted in a tuple.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn launch(rockets: Query<Entity>, mut commands: Commands) {
    for rocket in &rockets {
        commands.entity(rocket).insert(Position);
    }
}

fn main() {}

//~ remedy
//~ - commands.entity(rocket).insert(Position);
//~ + commands.entity(rocket).insert((Position,));
