//! Worlds in snapshots: the components that occur, the free ids, and each archetype with its entities and columns.

use core::num::NonZeroU32;

use hecs::Entity;
use schedule::Identity;
use schedule::internal::KeptCopy;
use schedule::snapshot::{Decoder, Encoder, Schema, Snapshot, SnapshotError};

use super::component::{AnyValues, SaveColumn, SavedEntry, Source};
use super::kept::{Ids, KeptWorld, Refusal};
use super::names::Names;
use crate::world::World;

/// The tag of a world that can be saved in snapshots. It gives the world a name.
///
/// ```
/// use schedule::prelude::*;
/// use schedule::snapshot::Snapshot;
/// use schedule_hecs::prelude::*;
/// use schedule_hecs::SavedTag;
///
/// #[derive(Identity)]
/// struct Ships;
///
/// impl SavedTag for Ships {
///     const WORLD_NAME: &'static str = "ships";
/// }
///
/// assert_eq!(<World<Ships> as Snapshot>::NAME, "ships");
/// assert_eq!(<World as Snapshot>::NAME, "world");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is the tag of a world without a saved name",
    label = "has no saved name",
    note = "add `impl schedule_hecs::SavedTag for {Self} {{ const WORLD_NAME: &'static str = \"…\"; }}`"
)]
pub trait SavedTag: Identity + 'static {
    /// The name of the world in snapshots, of 1 to 255 bytes. See [`Snapshot::NAME`].
    const WORLD_NAME: &'static str;
}

impl SavedTag for () {
    const WORLD_NAME: &'static str = "world";
}

/// Saves all entities. Each component needs `#[derive(SavedComponent)]`, and must implement [`Snapshot`].
///
/// The restored world has the same ids and the same order of entities, and gives the same ids to new entities. It has no
/// [missed commands](World::missed). A system that watches components finds all of them changed in its next run, and
/// [`Removed`](crate::Removed) finds no entity.
///
/// A component that changes raises its version, as any type of a snapshot. A component that is not in the program any more is an error, so
/// remove it from all entities, and save the world, before you remove its type.
///
/// ```
/// use schedule::prelude::*;
/// use schedule::snapshot::{Snapshot, SnapshotError, SnapshotReader, SnapshotWriter};
/// use schedule_hecs::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, SavedComponent, Snapshot, Serialize, Deserialize, Debug, PartialEq)]
/// #[snapshot(name = "fuel")]
/// struct Fuel(u32);
///
/// let mut world = World::new();
/// let first = world.spawn((Fuel(1),));
/// let second = world.spawn((Fuel(2),));
/// world.despawn(first).unwrap();
/// let mut writer = SnapshotWriter::new();
/// writer.section(&world)?;
/// let bytes = writer.finish();
///
/// let mut restored: World = SnapshotReader::new(&bytes)?.restore()?;
/// assert_eq!(restored.get_mut::<Fuel>(second), Some(&mut Fuel(2)));
/// assert_eq!(restored.spawn((Fuel(3),)), world.spawn((Fuel(3),)));
/// # Ok::<(), SnapshotError>(())
/// ```
///
/// # Errors
///
/// Saving fails if a component cannot be saved, also if only entities that were despawned had it. It fails in a system that takes `&World`,
/// because other systems may write components at the same time. A system that takes `&mut World` can save it.
impl<T: SavedTag> Snapshot for World<T> {
    const NAME: &'static str = T::WORLD_NAME;
    const VERSION: u32 = 1;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        let ids = self.read_all().map_err(|refusal| to.error(refusal))?;
        let archetypes: Vec<_> = self.hecs().archetypes().collect();
        write(&ids, |idx, _| Source::Archetype(archetypes[idx]), to)
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        let (ids, columns) = read(from)?;
        let world = ids.restore(columns).map_err(|reason| from.error(reason))?;
        Ok(world.into())
    }

    /// The schemas of the components are in the value, because each world has others.
    fn schema() -> Schema {
        let entities = || Schema::of::<Vec<(u32, NonZeroU32)>>();
        let component = [
            ("name", Schema::of::<String>()),
            ("version", Schema::of::<u32>()),
            ("schema", Schema::unknown()),
        ];
        let archetype = [
            ("components", Schema::of::<Vec<u32>>()),
            ("entities", entities()),
            ("columns", Schema::unknown()),
        ];
        let parts = [
            (
                "components",
                Schema::of_parts("Component", component).repeated(),
            ),
            ("free", entities()),
            (
                "archetypes",
                Schema::of_parts("Archetype", archetype).repeated(),
            ),
        ];
        Schema::of_parts("World", parts)
    }
}

/// Writes a world. `values` returns the values of a component of an archetype.
fn write<'a>(
    ids: &Ids,
    values: impl Fn(usize, &SavedEntry) -> Source<'a>,
    to: &mut Encoder,
) -> Result<(), SnapshotError> {
    let used = Used::of(ids).map_err(|refusal| to.error(refusal))?;
    to.write(&used.0.len())?;
    for (_, column) in &used.0 {
        to.write(column.name)?;
        to.write(&column.version)?;
        to.write(&(column.schema)())?;
    }
    write_entities(&ids.free, to)?;
    to.write(&ids.archetypes.len())?;
    for (archetype, saved) in ids.archetypes.iter().enumerate() {
        let columns = used.of_archetype(&saved.components);
        to.write(&columns)?;
        write_entities(&saved.rows, to)?;
        for idx in columns {
            let (entry, column) = used.0[idx as usize];
            (column.save)(values(archetype, entry), to)?;
        }
    }
    Ok(())
}

/// A [`SavedProgram`](schedule::SavedProgram) keeps worlds in this form.
impl<T> KeptCopy<World<T>> for KeptWorld {
    fn keep(&mut self, world: &World<T>) -> Result<(), String> {
        self.save(world).map_err(|error| error.to_string())
    }

    fn restore(&self, world: &mut World<T>) {
        KeptWorld::restore(self, world);
    }

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        write(self.ids(), |idx, entry| self.values(idx, entry), to)
    }
}

/// The components that occur in a world, in the order of their saved names.
struct Used(Vec<(&'static SavedEntry, SaveColumn)>);

impl Used {
    fn of(ids: &Ids) -> Result<Self, Refusal> {
        let names = saved_names();
        let mut used = Vec::<(&SavedEntry, SaveColumn)>::new();
        for &entry in ids.archetypes.iter().flat_map(|one| &one.components) {
            let column = entry.save.ok_or_else(|| Refusal::Lacks {
                component: (entry.type_name)(),
                traits: "`Snapshot`",
            })?;
            if let Err(idx) = used.binary_search_by_key(&column.name, |(_, column)| column.name) {
                names.check(column.name)?;
                used.insert(idx, (entry, column));
            }
        }
        Ok(Self(used))
    }

    /// Returns the indices of these components, in ascending order.
    fn of_archetype(&self, components: &[&SavedEntry]) -> Vec<u32> {
        let is_in = |entry: &SavedEntry| {
            components
                .iter()
                .any(|one| one.component == entry.component)
        };
        let used = (0..).zip(&self.0);
        used.filter_map(|(idx, (entry, _))| is_in(entry).then_some(idx))
            .collect()
    }
}

fn saved_names() -> Names {
    Names::new(|entry| Some(entry.save?.name))
}

fn write_entities(entities: &[Entity], to: &mut Encoder) -> Result<(), SnapshotError> {
    to.write(&entities.len())?;
    entities
        .iter()
        .try_for_each(|entity| to.write(&parts(*entity)))
}

/// The id and the generation of an entity.
fn parts(entity: Entity) -> (u32, u32) {
    (entity.id(), (entity.to_bits().get() >> 32) as u32)
}

fn read_entities(from: &mut Decoder<'_>) -> Result<Vec<Entity>, SnapshotError> {
    let entities: Vec<(u32, NonZeroU32)> = from.read()?;
    let entity = |(id, generation): (u32, NonZeroU32)| {
        let bits = u64::from(generation.get()) << 32 | u64::from(id);
        Entity::from_bits(bits).expect("the generation is not 0")
    };
    Ok(entities.into_iter().map(entity).collect())
}

type ReadColumns = Vec<Vec<Box<dyn AnyValues>>>;

fn read(from: &mut Decoder<'_>) -> Result<(Ids, ReadColumns), SnapshotError> {
    let names = saved_names();
    let n_components: usize = from.read()?;
    let mut components = Vec::new();
    for _ in 0..n_components {
        let name: String = from.read()?;
        let version = from.read()?;
        let schema: Schema = from.read()?;
        let entry = names.find(&name).map_err(|reason| from.error(reason))?;
        let column = entry.save.expect("it has a saved name");
        (column.check)(&schema, version)?;
        components.push((entry, column, version));
    }
    let mut ids = Ids {
        archetypes: Vec::new(),
        free: read_entities(from)?,
    };
    let n_archetypes: usize = from.read()?;
    let mut all = Vec::new();
    for _ in 0..n_archetypes {
        let indices: Vec<u32> = from.read()?;
        // Also so that no component occurs twice.
        if !indices.is_sorted_by(|one, next| one < next) {
            return Err(from.error("the components of an archetype are not in ascending order"));
        }
        let rows = read_entities(from)?;
        let mut entries = Vec::new();
        let mut columns = Vec::new();
        for idx in indices {
            let component = components.get(idx as usize);
            let &(entry, column, version) =
                component.ok_or_else(|| from.error("an archetype has an unknown component"))?;
            columns.push((column.restore)(rows.len(), version, from)?);
            entries.push(entry);
        }
        all.push(columns);
        ids.archetypes.push(super::kept::ArchetypeIds {
            components: entries,
            rows,
        });
    }
    Ok((ids, all))
}
