//! A world gets a component by its type.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

struct Position;

#[system]
fn read(world: &mut World) {
    let entity = world.spawn((Position,));
    world.get_mut::<Position>(entity);
}

fn main() {}

//~ remedy
//~ - struct Position;
//~ + #[derive(Component)]
//~ + struct Position;
