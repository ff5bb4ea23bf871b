//! All components of an entity as text, for debugging.

use core::fmt::Debug;

use bevy_ecs::prelude::*;

use crate::fighter::{Age, Health, Mind, Number, Position, Resting, Team, Velocity};

/// Describes an entity, with a line for each of its components.
pub(crate) fn inspect(world: &World, entity: Entity) -> String {
    let Ok(fighter) = world.get_entity(entity) else {
        return format!("{entity:?} does not exist\n");
    };
    let mut text = format!("{entity:?}\n");
    add::<Number>(fighter, &mut text);
    add::<Position>(fighter, &mut text);
    add::<Velocity>(fighter, &mut text);
    add::<Health>(fighter, &mut text);
    add::<Team>(fighter, &mut text);
    add::<Mind>(fighter, &mut text);
    add::<Age>(fighter, &mut text);
    add::<Resting>(fighter, &mut text);
    text
}

fn add<C: Component + Debug>(fighter: EntityRef, text: &mut String) {
    if let Some(component) = fighter.get::<C>() {
        *text += &format!("  {component:?}\n");
    }
}
