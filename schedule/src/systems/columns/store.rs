//! The store of all entities of a kind.

use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use super::column::{AnyColumn, OwnedColumn};
use super::id::{EntityId, Ids};
use super::kind::{ColumnSet, EntityKind, HasColumn};
use super::sort::RowOrder;
use crate::base::identity::{Argument, Identity, Name, Usage, declared_here, mix};
use crate::base::panics::FirstPanic;
use crate::base::user_value::UserValue;
use crate::data::entity::{ChangeClock, Component, EntityStore, MissedCommands, RemovedLog};
use crate::data::resource::Resource;
use crate::data::resource::loans::Loans;

/// A store of entities of one kind, as a resource: a column for each component.
///
/// `column[row]` is the component of the entity in this row. All columns have the same length. A new entity is in a new row at
/// the end. If an entity is despawned, the entity of the last row moves to its row. So the rows have no gaps, and their order
/// depends only on the order of the changes. [`sort_by_key`](Self::sort_by_key) gives them another order. An [`EntityId`] stays the same.
///
/// The ids take 8 bytes in each row, and 16 after the first despawn or sort.
///
/// A shared reference gives access to ids and rows, but not to components, because that access would not be verified. Between runs it can
/// be cloned and saved. Systems take
/// a [`ColumnRef`](super::ColumnRef) or a [`ColumnMut`](super::ColumnMut), or run for each entity. A system that takes
/// `&mut Columns` can change everything. It conflicts with all systems that access the entities, so it needs an order with each
/// of them.
///
/// Without a schedule, a store is used like a collection:
///
/// ```
/// use schedule::columns::Columns;
/// use schedule::entity::Component;
///
/// #[derive(Component, Debug, PartialEq)]
/// struct Position(f32);
///
/// #[derive(Component)]
/// struct Velocity(f32);
///
/// #[derive(Columns)]
/// struct Bird {
///     position: Position,
///     velocity: Velocity,
/// }
///
/// let mut birds = Columns::new();
/// let eagle = birds.spawn(Bird { position: Position(1.0), velocity: Velocity(4.0) });
/// let finch = birds.spawn(Bird { position: Position(2.0), velocity: Velocity(0.5) });
///
/// let (mut positions, velocities) = birds.columns_mut::<(&mut Position, &Velocity)>();
/// for (position, velocity) in positions.iter_mut().zip(&velocities) {
///     position.0 += velocity.0;
/// }
///
/// let eagle = birds.despawn(eagle).unwrap();
/// assert_eq!(eagle.position, Position(5.0));
/// assert_eq!(birds.row(finch), Some(0));
/// assert_eq!(birds.get_mut(finch), Some(&mut Position(2.5)));
/// ```
pub struct Columns<K: EntityKind> {
    columns: K::Columns,
    ids: Ids<K>,
    version: ColumnsVersion,
    /// The number of changes of a shared store: components that are watched, and swapped columns. A part of the version.
    n_shared_changes: AtomicU64,
    /// The entities that were despawned. All lost the same components.
    removed: RemovedLog<EntityId<K>>,
    missed: MissedCommands<EntityId<K>>,
    loans: Loans,
}

impl<K: EntityKind> Identity for Columns<K> {
    const ID: u128 = mix(declared_here(module_path!(), "Columns"), K::ID);
    const NAME: Name =
        Name::generic("Columns", &[Argument::Type(K::NAME)]).used_as(&Usage::Columns);
}

impl<K: EntityKind> Resource for Columns<K> {
    const __IS_STORE: bool = true;

    fn __loans(&self) -> Option<&Loans> {
        Some(&self.loans)
    }
}

impl<K: EntityKind> EntityStore for Columns<K> {
    const LABEL: Option<&'static Name> = Some(&<Self as Identity>::NAME);
}

impl<K: EntityKind> Columns<K> {
    /// Creates a store without entities.
    pub fn new() -> Self {
        Self::of(K::Columns::default(), Ids::new())
    }

    /// Creates a store with these entities. There is a row for each id in each column.
    pub(super) fn of(columns: K::Columns, ids: Ids<K>) -> Self {
        Self {
            columns,
            ids,
            version: ColumnsVersion::new(),
            n_shared_changes: AtomicU64::new(0),
            removed: RemovedLog::new(),
            missed: MissedCommands::default(),
            loans: Loans::new(),
        }
    }

    /// Adds an entity in a new row, and returns its id. O(components).
    ///
    /// # Panics
    ///
    /// Panics if the store has 4,294,967,294 entities.
    pub fn spawn(&mut self, entity: K) -> EntityId<K> {
        self.reserve(1);
        self.push(entity)
    }

    /// Removes an entity and returns it, or `None` if it does not exist. The entity of the last row moves to its row.
    /// O(components).
    pub fn despawn(&mut self, id: EntityId<K>) -> Option<K> {
        let row = self.ids.swap_remove(id)?;
        self.removed.push(id);
        self.version.n_changes += 1;
        Some(self.columns.swap_remove(row))
    }

    /// Removes all entities. Keeps the memory of the columns.
    ///
    /// If the drop of a component panics, all entities are removed nevertheless. The first panic then continues.
    pub fn clear(&mut self) {
        let mut panics = FirstPanic::default();
        if self.removed.has_readers() {
            self.ids
                .by_row()
                .iter()
                .for_each(|id| self.removed.push(*id));
        }
        self.ids.clear();
        self.version.n_changes += 1;
        self.columns
            .for_each_mut(|column| column.clear(&mut panics));
        panics.resume();
    }

    /// Converts each entity into one of another kind, in the order of the rows. Ids keep their numbers: see [`EntityId::to_bits`]. New
    /// entities get the same numbers as in this store. O(entities × components).
    ///
    /// It is meant for the snapshot of an older kind. The report of [missed commands](Self::missed) is not copied.
    pub fn map<L: EntityKind>(mut self, mut convert: impl FnMut(K) -> L) -> Columns<L> {
        let n_rows = self.len();
        // From the last row, whose removal moves no other one.
        let rows = (0..n_rows).rev();
        let removed = rows.map(|row| UserValue::new(self.columns.swap_remove(row)));
        let mut entities: Vec<UserValue<K>> = removed.collect();
        let mut columns = L::Columns::default();
        columns.for_each_mut(|column| column.reserve(n_rows));
        while let Some(entity) = entities.pop() {
            columns.push(convert(entity.into_inner()));
        }
        Columns::of(columns, self.ids.of_kind())
    }

    /// Reserves memory for more entities.
    ///
    /// # Panics
    ///
    /// Panics if the store would have more than 4,294,967,294 entities.
    pub fn reserve(&mut self, n_more: usize) {
        // All columns first: after a panic, they have the same length as before.
        self.version.n_changes += 1;
        self.ids.reserve(n_more);
        self.columns.for_each_mut(|column| column.reserve(n_more));
    }

    /// Returns the number of entities.
    pub fn len(&self) -> usize {
        self.ids.by_row().len()
    }

    /// Whether there are no entities.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether an entity exists.
    pub fn contains(&self, id: EntityId<K>) -> bool {
        self.row(id).is_some()
    }

    /// Returns the row of an entity, if it exists. O(1).
    #[inline]
    pub fn row(&self, id: EntityId<K>) -> Option<usize> {
        self.ids.row(id)
    }

    /// Returns the ids of all entities by row: `ids()[row]` is the entity in the row.
    #[inline]
    pub fn ids(&self) -> &[EntityId<K>] {
        self.ids.by_row()
    }

    /// Returns a component of an entity, if the entity exists. O(1).
    ///
    /// It takes `&mut self`, because a system with `&Columns` can run at the same time as a system that writes the component.
    pub fn get_mut<C: Component>(&mut self, id: EntityId<K>) -> Option<&mut C>
    where
        K: HasColumn<C>,
    {
        let row = self.row(id)?;
        if let Some(marks) = self.find::<C>()?.marks() {
            marks.column.mark_row(row, marks.clock.advance());
        }
        self.value_mut(row)
    }

    /// Returns the commands that had no effect since the last call of [`take_missed`](Self::take_missed), with the
    /// [reason](crate::entity::MissedReason) for each.
    pub fn missed(&self) -> &MissedCommands<EntityId<K>> {
        &self.missed
    }

    /// Returns the commands that had no effect, as [`missed`](Self::missed) does, and forgets them.
    pub fn take_missed(&mut self) -> MissedCommands<EntityId<K>> {
        core::mem::take(&mut self.missed)
    }

    #[inline]
    pub(super) fn id_table(&self) -> &Ids<K> {
        &self.ids
    }

    pub(super) fn columns(&self) -> &K::Columns {
        &self.columns
    }

    /// Returns a copy of the store with these copies of its columns.
    pub(super) fn copy(&self, columns: K::Columns) -> Self {
        Self {
            missed: self.missed.clone(),
            ..Self::of(columns, self.ids.clone())
        }
    }

    /// Becomes a copy of another store. `set` replaces the columns. If it panics, there are no entities any more.
    pub(super) fn set_copy(&mut self, source: &Self, set: impl FnOnce(&mut K::Columns)) {
        // The entities that this store had did not lose their components.
        self.removed = RemovedLog::new();
        self.version.n_changes += 1;
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| set(&mut self.columns))) {
            let mut others = FirstPanic::default();
            self.ids.clear();
            self.columns
                .for_each_mut(|column| column.clear(&mut others));
            resume_unwind(panic);
        }
        self.ids.clone_from(&source.ids);
        self.missed.clone_from(&source.missed);
    }

    #[inline]
    pub(super) fn n_shared_changes(&self) -> &AtomicU64 {
        &self.n_shared_changes
    }

    pub(super) fn missed_mut(&mut self) -> &mut MissedCommands<EntityId<K>> {
        &mut self.missed
    }

    pub(super) fn version(&self) -> ColumnsVersion {
        ColumnsVersion {
            // Relaxed: a system that uses a component conflicts with those that swap its column, and one that writes it with those
            // that watch it. So their executor orders them.
            n_changes: self.version.n_changes + self.n_shared_changes.load(Ordering::Relaxed),
            ..self.version
        }
    }

    pub(super) fn removed(&self) -> &RemovedLog<EntityId<K>> {
        &self.removed
    }

    /// See [`EntityTables::watch`](crate::data::entity::EntityTables::watch).
    pub(super) fn watch<C: Component>(&self) -> &ChangeClock {
        let column = self.find::<C>().expect("the kind has this component");
        let (clock, begins) = column.watch();
        if begins {
            // Relaxed: as in `version`.
            self.n_shared_changes.fetch_add(1, Ordering::Relaxed);
        }
        clock
    }

    /// Adds an entity in a new row. The memory is reserved.
    #[inline]
    pub(super) fn push(&mut self, entity: K) -> EntityId<K> {
        self.columns.push(entity);
        self.ids.push()
    }

    /// Removes an entity and drops its components, each on its own. Returns whether it existed.
    pub(super) fn remove(&mut self, id: EntityId<K>, panics: &mut FirstPanic) -> bool {
        let Some(row) = self.ids.swap_remove(id) else {
            return false;
        };
        self.removed.push(id);
        self.version.n_changes += 1;
        self.columns
            .for_each_mut(|column| column.remove(row, panics));
        true
    }

    /// Moves all rows. Ids stay valid. O(rows × components).
    pub(super) fn reorder(&mut self, order: &RowOrder) {
        self.version.n_changes += 1;
        self.columns.for_each_mut(|column| column.reorder(order));
        self.ids.reorder(order.by_row());
    }

    /// Returns a column, if the entities have the component. It has [`len`](Self::len) rows.
    #[inline]
    pub(super) fn find<C: Component>(&self) -> Option<&OwnedColumn<C>> {
        let column = self.columns.find::<C>()?;
        assert_eq!(column.n_rows(), self.len(), "a column for each row");
        Some(column)
    }
}

/// Adds entities in new rows, in their order.
impl<K: EntityKind> Extend<K> for Columns<K> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, entities: I) {
        let entities = entities.into_iter();
        self.reserve(entities.size_hint().0);
        for entity in entities {
            self.spawn(entity);
        }
    }
}

/// Creates a store with these entities, in their order.
impl<K: EntityKind> FromIterator<K> for Columns<K> {
    fn from_iter<I: IntoIterator<Item = K>>(entities: I) -> Self {
        let mut columns = Self::new();
        columns.extend(entities);
        columns
    }
}

impl<K: EntityKind> Default for Columns<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: EntityKind> fmt::Debug for Columns<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({} entities)", Self::NAME, self.len())
    }
}

/// A value that differs between stores. It changes whenever rows are added, removed or moved, columns are swapped, or a component is
/// watched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColumnsVersion {
    id: u64,
    n_changes: u64,
}

impl ColumnsVersion {
    fn new() -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        Self {
            // Relaxed: only the number itself must be unique.
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            n_changes: 0,
        }
    }
}
