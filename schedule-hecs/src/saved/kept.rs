//! A world as lists: the entities and their components by archetype and row, and the free ids.
//!
//! hecs creates archetypes in the order in which they are first needed, and queries visit them in this order. So all archetypes are kept,
//! also those without entities.

use core::any::TypeId;
use core::fmt;

use hecs::{Archetype, ColumnBatchBuilder, ColumnBatchType, Entity};

use super::component::{AnyValues, CopyColumn, SavedEntry, Source};
use super::registry;
use crate::world::World;
use crate::{column, location};

/// The ids of a world, and the components of each archetype.
#[derive(Clone, Default)]
pub(super) struct Ids {
    /// In the order of hecs. The first archetype has no components.
    pub(super) archetypes: Vec<ArchetypeIds>,
    /// The last one is used first.
    pub(super) free: Vec<Entity>,
}

/// The entities of an archetype.
#[derive(Clone, Default)]
pub(super) struct ArchetypeIds {
    pub(super) components: Vec<&'static SavedEntry>,
    /// By row.
    pub(super) rows: Vec<Entity>,
}

/// Why a world cannot be copied or saved.
#[derive(Debug)]
pub(super) enum Refusal {
    /// A system has a shared reference to the world.
    OnLoan,
    /// Ids were reserved, but the entities do not exist yet.
    Reserved,
    /// A component is not in the registry.
    Undeclared {
        component: Option<&'static str>,
        /// The components beside it that are.
        beside: Vec<&'static str>,
    },
    /// A component does not implement the traits that are needed.
    Lacks {
        component: &'static str,
        traits: &'static str,
    },
    /// Two components have the same saved name.
    #[cfg(any(feature = "snapshot", feature = "serde"))]
    SameName {
        name: &'static str,
        components: [&'static str; 2],
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OnLoan => f.write_str(
                "a system that takes `&World` cannot copy the entities, because other systems may write them meanwhile; take `&mut World`, or copy between runs",
            ),
            Self::Reserved => f.write_str(
                "ids are reserved whose entities do not exist yet: call `hecs_mut().flush()` first",
            ),
            Self::Undeclared { component, beside } => {
                match component {
                    Some(component) => write!(f, "the component `{component}`")?,
                    None => f.write_str("a component")?,
                }
                for (nth, other) in beside.iter().enumerate() {
                    let before = if nth == 0 { ", beside" } else { " and" };
                    write!(f, "{before} `{other}`")?;
                }
                if !beside.is_empty() {
                    f.write_str(",")?;
                }
                f.write_str(" is not declared to be saved: add `#[derive(SavedComponent)]` to its type")
            }
            Self::Lacks { component, traits } => {
                write!(f, "the component `{component}` does not implement {traits}")
            }
            #[cfg(any(feature = "snapshot", feature = "serde"))]
            Self::SameName {
                name,
                components: [first, second],
            } => write!(
                f,
                "the components `{first}` and `{second}` have the same saved name `{name}`"
            ),
        }
    }
}

impl Ids {
    /// Becomes a copy of the ids of a world, and keeps the memory.
    pub(super) fn set(&mut self, world: &hecs::World) -> Result<(), Refusal> {
        let archetypes = world.archetypes();
        self.archetypes
            .resize_with(archetypes.len(), ArchetypeIds::default);
        let mut n_ids = 0;
        for (kept, archetype) in self.archetypes.iter_mut().zip(archetypes) {
            kept.set_components(archetype)?;
            kept.rows.clear();
            column::add_entities(world, archetype, &mut kept.rows);
            n_ids += kept.rows.len();
        }
        self.free.clear();
        self.free.extend(world.freelist());
        n_ids += self.free.len();
        // All ids from 0 on are in the lists, unless some are reserved: free ones, or the ones after the last.
        let mut rows = self.archetypes.iter().flat_map(|archetype| &archetype.rows);
        let is_complete = match rows.next() {
            Some(&live) => location::n_ids(world, live) == Some(n_ids),
            None => self.free.iter().all(|free| (free.id() as usize) < n_ids),
        };
        let next = Entity::from_bits(1 << 32 | n_ids as u64);
        if !is_complete || next.is_some_and(|next| world.contains(next)) {
            return Err(Refusal::Reserved);
        }
        Ok(())
    }

    /// Checks lists that were read.
    ///
    /// # Errors
    ///
    /// Fails with a reason if an id is missing, or if an id or the components of an archetype occur twice.
    #[cfg(any(feature = "snapshot", feature = "serde"))]
    fn check(&self) -> Result<(), &'static str> {
        let n_live: usize = self.archetypes.iter().map(|one| one.rows.len()).sum();
        let n_ids = n_live + self.free.len();
        if n_ids >= u32::MAX as usize {
            return Err("a world has fewer than 2^32 - 1 ids");
        }
        let mut are_found = vec![false; n_ids];
        let rows = self.archetypes.iter().flat_map(|one| &one.rows);
        for entity in rows.chain(&self.free) {
            let is_found = are_found.get_mut(entity.id() as usize);
            let is_found = is_found.ok_or("an id is not less than the number of ids")?;
            if core::mem::replace(is_found, true) {
                return Err("two entities have the same id");
            }
        }
        let mut types = std::collections::HashSet::new();
        for (nth, archetype) in self.archetypes.iter().enumerate() {
            let mut components: Vec<_> = archetype
                .components
                .iter()
                .map(|one| one.component)
                .collect();
            components.sort();
            let n_components = components.len();
            components.dedup();
            if components.len() < n_components {
                return Err("an archetype has a component twice");
            }
            if components.is_empty() != (nth == 0) {
                return Err("the first archetype is the one without components");
            }
            if !types.insert(components) {
                return Err("two archetypes have the same components");
            }
        }
        if self.archetypes.is_empty() {
            return Err("the first archetype is the one without components");
        }
        Ok(())
    }

    /// Creates a world from lists that were read. `columns`: by archetype, for each of its components.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    #[cfg(any(feature = "snapshot", feature = "serde"))]
    pub(super) fn restore(
        &self,
        columns: Vec<Vec<Box<dyn AnyValues>>>,
    ) -> Result<hecs::World, &'static str> {
        self.check()?;
        Ok(self.build_of(columns))
    }

    /// Creates a world from these columns: by archetype, for each of its components.
    fn build_of(&self, columns: Vec<Vec<Box<dyn AnyValues>>>) -> hecs::World {
        let mut columns = columns.into_iter();
        self.build(|_, batch| {
            for column in columns.next().into_iter().flatten() {
                column.move_into(batch);
            }
        })
    }

    /// Creates a world. `fill` is called with each archetype in their order, to add its components.
    ///
    /// O(entities × components).
    pub(super) fn build(&self, mut fill: impl FnMut(usize, &ColumnBatchBuilder)) -> hecs::World {
        let mut world = hecs::World::new();
        // New entities take the last free ids. The rows of a batch take them in ascending order.
        let mut free = self.free.clone();
        for archetype in self.archetypes.iter().rev() {
            free.extend(&archetype.rows);
        }
        world.set_freelist(&free);
        for (idx, archetype) in self.archetypes.iter().enumerate() {
            let mut types = ColumnBatchType::new();
            for component in &archetype.components {
                (component.declare)(&mut types);
            }
            let n_rows = archetype.rows.len() as u32;
            let batch = types.into_batch(n_rows);
            fill(idx, &batch);
            let batch = batch.build().expect("all components were added");
            drop(world.spawn_column_batch(batch));
        }
        world
    }
}

impl ArchetypeIds {
    /// Whether the components are those of an archetype.
    fn has_components_of(&self, archetype: &Archetype) -> bool {
        let types = archetype.component_types();
        types.len() == self.components.len()
            && self
                .components
                .iter()
                .all(|entry| archetype.has_dynamic(entry.component))
    }

    /// Becomes a list of the components of an archetype, in the order of their Rust names.
    fn set_components(&mut self, archetype: &Archetype) -> Result<(), Refusal> {
        if self.has_components_of(archetype) {
            return Ok(());
        }
        self.components.clear();
        let mut undeclared = None;
        for component in archetype.component_types() {
            match registry::find(component) {
                Some(entry) => self.components.push(entry),
                None => undeclared = undeclared.or(Some(component)),
            }
        }
        self.components.sort_by_key(|entry| (entry.type_name)());
        match undeclared {
            None => Ok(()),
            Some(component) => Err(Refusal::Undeclared {
                component: registry::type_name(component),
                beside: self
                    .components
                    .iter()
                    .map(|entry| (entry.type_name)())
                    .collect(),
            }),
        }
    }
}

/// A copy of a world that is made again and again, for example before each frame of a game with rollback: it keeps its memory.
///
/// ```
/// use schedule::prelude::*;
/// use schedule_hecs::prelude::*;
/// use schedule_hecs::KeptWorld;
///
/// #[derive(Component, SavedComponent, Clone)]
/// struct Fuel(u32);
///
/// let mut world = World::new();
/// let rocket = world.spawn((Fuel(5),));
/// let mut kept = KeptWorld::new();
/// kept.save(&world)?;
///
/// world.get_mut::<Fuel>(rocket).unwrap().0 = 4;
/// let lost = world.spawn((Fuel(9),));
/// kept.restore(&mut world);
/// assert_eq!(world.get_mut::<Fuel>(rocket).unwrap().0, 5);
/// assert!(!world.contains(lost));
/// assert_eq!(world.spawn((Fuel(7),)), lost);
/// # Ok::<(), schedule_hecs::CopyError>(())
/// ```
#[derive(Clone, Default)]
pub struct KeptWorld {
    ids: Ids,
    /// By archetype, for each of its components.
    columns: Vec<Vec<KeptColumn>>,
}

struct KeptColumn {
    component: TypeId,
    values: Box<dyn AnyValues>,
    copy: CopyColumn,
}

/// Why a world cannot be copied. The text names the component.
#[derive(Debug)]
pub struct CopyError(Refusal);

impl fmt::Display for CopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl core::error::Error for CopyError {}

impl KeptWorld {
    /// Creates a copy of a world without entities.
    pub fn new() -> Self {
        Self::default()
    }

    /// Becomes a copy of a world, as [`World::clone`]. O(entities × components).
    ///
    /// # Errors
    ///
    /// Fails in the cases in which [`World::clone`] panics. The copy is then that of a world without entities.
    ///
    /// # Panics
    ///
    /// Panics if the clone of a component does.
    pub fn save<T>(&mut self, world: &World<T>) -> Result<(), CopyError> {
        // After a panic, the copy is empty.
        let mut kept = core::mem::take(self);
        let refused = world.refuse_loans();
        refused
            .and_then(|()| kept.set(world.hecs()))
            .map_err(CopyError)?;
        *self = kept;
        Ok(())
    }

    #[cfg(feature = "snapshot")]
    pub(super) fn ids(&self) -> &Ids {
        &self.ids
    }

    /// Returns the values of a component of an archetype.
    #[cfg(feature = "snapshot")]
    pub(super) fn values<'k>(&'k self, archetype: usize, entry: &SavedEntry) -> Source<'k> {
        let mut columns = self.columns[archetype].iter();
        let column = columns.find(|column| column.component == entry.component);
        Source::Copy(&*column.expect("a component of the archetype").values)
    }

    /// Replaces the entities of a world by those of the copy. The report of [missed commands](World::missed) is emptied.
    ///
    /// # Panics
    ///
    /// Panics if the clone of a component does. The world is then unchanged. Panics if the drop of a replaced component does. The world is then
    /// restored.
    pub fn restore<T>(&self, world: &mut World<T>) {
        world.replace(self.to_world());
    }

    /// Becomes a copy of a world, and keeps the memory. After an error, the content is a part of the copy.
    fn set(&mut self, world: &hecs::World) -> Result<(), Refusal> {
        self.ids.set(world)?;
        let archetypes = &self.ids.archetypes;
        self.columns.resize_with(archetypes.len(), Vec::new);
        let kept = archetypes.iter().zip(&mut self.columns);
        for ((ids, columns), archetype) in kept.zip(world.archetypes()) {
            columns.truncate(ids.components.len());
            for (nth, &entry) in ids.components.iter().enumerate() {
                if columns
                    .get(nth)
                    .is_none_or(|column| column.component != entry.component)
                {
                    let column = KeptColumn::new(entry)?;
                    columns.truncate(nth);
                    columns.push(column);
                }
                let column = &mut columns[nth];
                (column.copy.copy_from)(&mut *column.values, Source::Archetype(archetype));
            }
        }
        Ok(())
    }

    /// Creates an equal world, and keeps the copy.
    fn to_world(&self) -> hecs::World {
        self.ids.build(|idx, batch| {
            for column in &self.columns[idx] {
                (column.copy.copy_into)(&*column.values, batch);
            }
        })
    }

    /// Creates an equal world from these values.
    pub(super) fn into_world(self) -> hecs::World {
        let values = |columns: Vec<KeptColumn>| columns.into_iter().map(|one| one.values).collect();
        self.ids
            .build_of(self.columns.into_iter().map(values).collect())
    }
}

impl fmt::Debug for KeptWorld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_entities: usize = self.ids.archetypes.iter().map(|one| one.rows.len()).sum();
        write!(f, "KeptWorld({n_entities} entities)")
    }
}

impl Clone for KeptColumn {
    fn clone(&self) -> Self {
        Self {
            values: (self.copy.clone)(&*self.values),
            ..*self
        }
    }
}

impl KeptColumn {
    fn new(entry: &SavedEntry) -> Result<Self, Refusal> {
        let copy = entry.copy.ok_or_else(|| Refusal::Lacks {
            component: (entry.type_name)(),
            traits: "`Clone`",
        })?;
        Ok(Self {
            component: entry.component,
            values: (copy.new)(),
            copy,
        })
    }
}
