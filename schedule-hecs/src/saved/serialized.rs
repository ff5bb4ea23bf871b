//! Worlds in formats of `serde`: the free ids, and for each archetype its entities and a list for each component.

use core::fmt;

use hecs::{Archetype, Entity};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde::ser::{self, Serializer};
use serde::{Deserialize, Serialize};

use super::component::{AnyValues, SavedEntry, SerializeColumn, Source};
use super::kept::{ArchetypeIds, Ids, Refusal};
use super::names::Names;
use crate::world::World;

/// Serializes all entities, if all components implement `Serialize` and `DeserializeOwned` and have `#[derive(SavedComponent)]`. The ids and free
/// ids are included, see [`World::clone`].
///
/// The world is a struct with the lists `free` and `archetypes`. An archetype is a struct with the list `entities` and the map `components`,
/// whose keys are names, and whose values are lists in the order of the entities. The name of a component is its
/// [`Snapshot::NAME`](schedule::snapshot::Snapshot::NAME) if it has one, and otherwise the Rust name without the path.
/// Without the feature `snapshot`, it is always the Rust name. Snapshots do not use this form: they have versions.
///
/// # Errors
///
/// Fails if a component cannot be serialized, also if only entities that were despawned had it. It fails in a system that takes `&World`,
/// because other systems may write components at the same time. A system that takes `&mut World` can serialize it.
impl<T> Serialize for World<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = serialized_names();
        let world = self.read_all().and_then(|ids| {
            let archetypes = ids.archetypes.iter().zip(self.hecs().archetypes());
            let archetypes = archetypes.map(|(ids, archetype)| {
                Ok(SerializedArchetype {
                    entities: &ids.rows,
                    components: SerializedComponents::of(&ids.components, archetype, &names)?,
                })
            });
            let archetypes = archetypes.collect::<Result<Vec<_>, Refusal>>()?;
            Ok(serialize(&ids.free, &archetypes, serializer))
        });
        world.map_err(ser::Error::custom)?
    }
}

fn serialize<S: Serializer>(
    free: &[Entity],
    archetypes: &[SerializedArchetype<'_>],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    #[serde(rename = "World")]
    struct SerializedWorld<'a> {
        free: &'a [Entity],
        archetypes: &'a [SerializedArchetype<'a>],
    }

    SerializedWorld { free, archetypes }.serialize(serializer)
}

#[derive(Serialize)]
#[serde(rename = "Archetype")]
struct SerializedArchetype<'a> {
    entities: &'a [Entity],
    components: SerializedComponents<'a>,
}

/// The columns of an archetype, in the order of their names.
struct SerializedComponents<'a>(Vec<(&'static str, SerializedColumn<'a>)>);

struct SerializedColumn<'a> {
    column: SerializeColumn,
    archetype: &'a Archetype,
}

impl<'a> SerializedComponents<'a> {
    fn of(
        components: &[&'static SavedEntry],
        archetype: &'a Archetype,
        names: &Names,
    ) -> Result<Self, Refusal> {
        let mut columns = Vec::<(_, SerializedColumn<'_>)>::new();
        for &entry in components {
            let column = entry.serialize.ok_or_else(|| Refusal::Lacks {
                component: (entry.type_name)(),
                traits: "`Serialize` and `DeserializeOwned`",
            })?;
            let name = name(entry);
            names.check(name)?;
            columns.push((name, SerializedColumn { column, archetype }));
        }
        columns.sort_by_key(|(name, _)| *name);
        Ok(Self(columns))
    }
}

impl Serialize for SerializedComponents<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, column)| (name, column)))
    }
}

impl Serialize for SerializedColumn<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut serializer = Some(serializer);
        let mut result = None;
        (self.column.serialize)(Source::Archetype(self.archetype), &mut |values| {
            result = serializer
                .take()
                .map(|serializer| values.serialize(serializer));
        });
        result.expect("it is called once")
    }
}

/// Returns the name of a component.
fn name(entry: &SavedEntry) -> &'static str {
    #[cfg(feature = "snapshot")]
    if let Some(save) = entry.save {
        return save.name;
    }
    let whole = (entry.type_name)();
    let path = whole.split('<').next().unwrap_or(whole);
    &whole[path.rfind("::").map_or(0, |at| at + 2)..]
}

fn serialized_names() -> Names {
    Names::new(|entry| entry.serialize.map(|_| name(entry)))
}

/// As [`Serialize`]. Unknown fields are ignored.
impl<'de, T> Deserialize<'de> for World<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename = "World")]
        struct DeserializedWorld {
            free: Vec<Entity>,
            archetypes: Vec<DeserializedArchetype>,
        }

        let DeserializedWorld { free, archetypes } = Deserialize::deserialize(deserializer)?;
        let mut ids = Ids {
            archetypes: Vec::new(),
            free,
        };
        let mut columns = Vec::new();
        for DeserializedArchetype {
            entities,
            components,
        } in archetypes
        {
            let n_rows = entities.len();
            if let Some(wrong) = components.0.iter().find(|one| one.n_rows != n_rows) {
                return Err(de::Error::custom(format_args!(
                    "the component `{}` has {} values, and its archetype has {n_rows} entities",
                    name(wrong.entry),
                    wrong.n_rows
                )));
            }
            ids.archetypes.push(ArchetypeIds {
                components: components.0.iter().map(|one| one.entry).collect(),
                rows: entities,
            });
            columns.push(components.0.into_iter().map(|one| one.values).collect());
        }
        let world = ids.restore(columns).map_err(de::Error::custom)?;
        Ok(world.into())
    }
}

#[derive(Deserialize)]
#[serde(rename = "Archetype")]
struct DeserializedArchetype {
    entities: Vec<Entity>,
    components: DeserializedComponents,
}

struct DeserializedComponents(Vec<DeserializedColumn>);

struct DeserializedColumn {
    entry: &'static SavedEntry,
    n_rows: usize,
    values: Box<dyn AnyValues>,
}

impl<'de> Deserialize<'de> for DeserializedComponents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ComponentsVisitor)
    }
}

struct ComponentsVisitor;

impl<'de> Visitor<'de> for ComponentsVisitor {
    type Value = DeserializedComponents;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list for each component")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let names = serialized_names();
        let mut columns = Vec::new();
        while let Some(name) = from.next_key::<String>()? {
            let entry = names.find(&name).map_err(de::Error::custom)?;
            columns.push(from.next_value_seed(ColumnSeed(entry))?);
        }
        Ok(DeserializedComponents(columns))
    }
}

/// Reads the values of a component.
struct ColumnSeed(&'static SavedEntry);

impl<'de> DeserializeSeed<'de> for ColumnSeed {
    type Value = DeserializedColumn;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<DeserializedColumn, D::Error> {
        let Self(entry) = self;
        let column = entry.serialize.expect("it has a name");
        let mut from = <dyn erased_serde::Deserializer<'_>>::erase(from);
        let (n_rows, values) = (column.deserialize)(&mut from).map_err(de::Error::custom)?;
        Ok(DeserializedColumn {
            entry,
            n_rows,
            values,
        })
    }
}
