//! Saving and loading: all fighters, column by column, and the free ids, so that new fighters get the same ids.

use std::any::TypeId;

use schedule::prelude::*;
use schedule_hecs::hecs::serialize::column::{
    self, DeserializeContext, SerializeContext, deserialize_column, try_serialize, try_serialize_id,
};
use schedule_hecs::hecs::{self, Archetype, ColumnBatchBuilder, ColumnBatchType};
use schedule_hecs::prelude::*;
use serde::de::{Error, SeqAccess};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Serialize};

use crate::fighter::{Age, Fighter, Health, Mind, Position, Resting, Team, Velocity};

/// A world without fighters. Its archetypes are always created in the same order, also for a world that is loaded, so the
/// order of fighters is the same.
pub(crate) fn new_world() -> World {
    let mut world = hecs::World::new();
    world.reserve::<Fighter>(0);
    world.reserve::<(Position, Velocity, Health, Team, Mind, Age, Resting)>(0);
    world.into()
}

/// Saves all fighters as JSON.
pub(crate) fn save(world: &mut World) -> Result<String, BoxError> {
    let world = world.hecs_mut();
    let free: Vec<Entity> = world.freelist().collect();
    let mut saved = Vec::new();
    let mut serializer = serde_json::Serializer::new(&mut saved);
    column::serialize(world, &mut Columns::default(), &mut serializer)?;
    Ok(serde_json::to_string(&(free, String::from_utf8(saved)?))?)
}

/// Loads a world that was saved.
pub(crate) fn load(saved: &str) -> Result<World, BoxError> {
    let (free, saved): (Vec<Entity>, String) = serde_json::from_str(saved)?;
    let mut deserializer = serde_json::Deserializer::from_str(&saved);
    let loaded = column::deserialize(&mut Columns::default(), &mut deserializer)?;
    let mut world = new_world();
    let entities = world.hecs_mut();
    move_all(loaded, entities);
    entities.set_freelist(&free);
    Ok(world)
}

/// Moves all entities to another world with their ids, in their order.
fn move_all(mut from: hecs::World, to: &mut hecs::World) {
    let all: Vec<Entity> = from.iter().map(|entity| entity.entity()).collect();
    for entity in all {
        let components = from.take(entity).expect("it was listed");
        to.spawn_at(entity, components);
    }
}

/// The names of components in a saved world, and those of the archetype that is loaded.
#[derive(Default)]
struct Columns(Vec<Name>);

macro_rules! columns {
    ($($component:ident)*) => {
        #[derive(Serialize, Deserialize, Clone, Copy)]
        enum Name {
            $($component),*
        }

        impl SerializeContext for Columns {
            fn component_count(&self, archetype: &Archetype) -> usize {
                let is_saved = |ty: &TypeId| [$(TypeId::of::<$component>()),*].contains(ty);
                archetype.component_types().filter(is_saved).count()
            }

            fn serialize_component_ids<S: SerializeTuple>(
                &mut self,
                archetype: &Archetype,
                mut out: S,
            ) -> Result<S::Ok, S::Error> {
                $(try_serialize_id::<$component, _, _>(archetype, &Name::$component, &mut out)?;)*
                out.end()
            }

            fn serialize_components<S: SerializeTuple>(
                &mut self,
                archetype: &Archetype,
                mut out: S,
            ) -> Result<S::Ok, S::Error> {
                $(try_serialize::<$component, _>(archetype, &mut out)?;)*
                out.end()
            }
        }

        impl DeserializeContext for Columns {
            fn deserialize_component_ids<'de, A: SeqAccess<'de>>(
                &mut self,
                mut seq: A,
            ) -> Result<ColumnBatchType, A::Error> {
                self.0.clear();
                let mut batch = ColumnBatchType::new();
                while let Some(name) = seq.next_element()? {
                    match name {
                        $(Name::$component => batch.add::<$component>(),)*
                    };
                    self.0.push(name);
                }
                Ok(batch)
            }

            fn deserialize_components<'de, A: SeqAccess<'de>>(
                &mut self,
                entity_count: u32,
                mut seq: A,
                batch: &mut ColumnBatchBuilder,
            ) -> Result<(), A::Error> {
                for name in &self.0 {
                    match name {
                        $(Name::$component => {
                            deserialize_column::<$component, _>(entity_count, &mut seq, batch)?;
                        })*
                    }
                }
                match seq.next_element::<()>() {
                    Ok(None) => Ok(()),
                    _ => Err(A::Error::custom("an archetype has more columns than names")),
                }
            }
        }
    };
}

columns!(Position Velocity Health Team Mind Age Resting);
