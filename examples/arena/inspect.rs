//! All components of an entity as text, for debugging.

use core::fmt::Debug;

use schedule_hecs::prelude::*;

use crate::fighter::{Age, Health, Mind, Number, Position, Resting, Team, Velocity};

/// Describes an entity, with a line for each of its components.
pub(crate) fn inspect(world: &mut World, entity: Entity) -> String {
    if !world.contains(entity) {
        return format!("{entity:?} does not exist\n");
    }
    let mut text = format!("{entity:?}\n");
    add::<Number>(world, entity, &mut text);
    add::<Position>(world, entity, &mut text);
    add::<Velocity>(world, entity, &mut text);
    add::<Health>(world, entity, &mut text);
    add::<Team>(world, entity, &mut text);
    add::<Mind>(world, entity, &mut text);
    add::<Age>(world, entity, &mut text);
    add::<Resting>(world, entity, &mut text);
    text
}

fn add<C: Component + Debug>(world: &mut World, entity: Entity, text: &mut String) {
    if let Some(component) = world.get_mut::<C>(entity) {
        *text += &format!("  {component:?}\n");
    }
}
