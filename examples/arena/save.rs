//! Saving and loading: all fighters with their ids, and the free ids, so that new fighters get the same ids.

use schedule::prelude::*;
use schedule_hecs::hecs::serialize::row;
use schedule_hecs::hecs::{self, EntityBuilder, EntityRef};
use schedule_hecs::prelude::*;
use serde::de::MapAccess;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize};
use serde_json::{Deserializer, Serializer};

use crate::fighter::{Age, Fighter, Health, Mind, Number, Position, Resting, Team, Velocity};

/// A world without fighters. Its archetypes are always created in the same order, also for a world that is loaded, so the
/// order of fighters is the same.
pub(crate) fn new_world() -> hecs::World {
    let mut world = hecs::World::new();
    world.reserve::<Fighter>(0);
    world.reserve::<(Number, Position, Velocity, Health, Team, Mind, Age, Resting)>(0);
    world
}

/// Saves all fighters as JSON.
pub(crate) fn save(world: &mut World) -> Result<String, BoxError> {
    let world = world.hecs_mut();
    let free: Vec<Entity> = world.freelist().collect();
    let mut saved = Vec::new();
    row::serialize(world, &mut Components, &mut Serializer::new(&mut saved))?;
    Ok(serde_json::to_string(&(free, String::from_utf8(saved)?))?)
}

/// Loads a world that was saved.
pub(crate) fn load(saved: &str) -> Result<World, BoxError> {
    let (free, saved): (Vec<Entity>, String) = serde_json::from_str(saved)?;
    let mut loaded = row::deserialize(&mut Components, &mut Deserializer::from_str(&saved))?;
    let mut world = new_world();
    let all: Vec<Entity> = loaded.iter().map(|entity| entity.entity()).collect();
    for entity in all {
        world.spawn_at(entity, loaded.take(entity)?);
    }
    world.set_freelist(&free);
    Ok(world.into())
}

/// The components that are saved.
struct Components;

macro_rules! components {
    ($($component:ident)*) => {
        #[derive(Serialize, Deserialize)]
        enum Name {
            $($component),*
        }

        impl row::SerializeContext for Components {
            fn serialize_entity<S: SerializeMap>(
                &mut self,
                entity: EntityRef<'_>,
                mut out: S,
            ) -> Result<S::Ok, S::Error> {
                $(row::try_serialize::<$component, _, _>(&entity, &Name::$component, &mut out)?;)*
                out.end()
            }
        }

        impl row::DeserializeContext for Components {
            fn deserialize_entity<'de, M: MapAccess<'de>>(
                &mut self,
                mut map: M,
                entity: &mut EntityBuilder,
            ) -> Result<(), M::Error> {
                while let Some(name) = map.next_key()? {
                    match name {
                        $(Name::$component => entity.add::<$component>(map.next_value()?),)*
                    };
                }
                Ok(())
            }
        }
    };
}

components!(Number Position Velocity Health Team Mind Age Resting);
