//! A store of entities for tests.
//!
//! Invariant: the values of a column are accessed only through the address that systems get, or through an exclusive reference to
//! the store.
#![expect(
    unsafe_code,
    reason = "implements `EntityTables` by addresses of columns"
)]

use core::any::TypeId;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::base::identity::{Identity, Name};
use crate::data::entity::{Component, EachEntity, EachParam, EntityStore, EntityTables};
use crate::data::resource::Resource;

#[derive(schedule_macros::Component, Clone, Copy, Debug, PartialEq)]
#[component(crate = crate)]
pub(super) struct Age(pub(super) u32);

#[derive(schedule_macros::Component, Clone, Copy, Debug, PartialEq)]
#[component(crate = crate)]
pub(super) struct Weight(pub(super) f32);

/// The id of an entity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cow {
    pub(super) table: usize,
    pub(super) row: usize,
}

/// Entities with an [`Age`]. Those in tables with an odd number also have a [`Weight`]. `IS_COVERED`: whether the version covers rows.
pub(super) struct Herd<const IS_COVERED: bool = true> {
    tables: Vec<Pen>,
    /// A number that no other store has.
    id: usize,
    n_changes: u64,
    /// The number of calls of `column`.
    n_lookups: AtomicUsize,
}

/// A table.
pub(super) struct Pen {
    nth: usize,
    ages: Values<Age>,
    weights: Option<Values<Weight>>,
}

/// The values of a column, which the value owns.
struct Values<C>(NonNull<[C]>);

// SAFETY: it owns values that are `Send`.
unsafe impl<C: Component> Send for Values<C> {}

// SAFETY: a shared reference gives only the address.
unsafe impl<C: Component> Sync for Values<C> {}

impl<C> Values<C> {
    fn new(values: impl Iterator<Item = C>) -> Self {
        Self(NonNull::from(Box::leak(values.collect())))
    }

    fn get(&mut self) -> &[C] {
        // SAFETY: the store is borrowed exclusively, so no system accesses the values.
        unsafe { self.0.as_ref() }
    }
}

impl<C> Drop for Values<C> {
    fn drop(&mut self) {
        // SAFETY: `new` leaked the box, and this is its only owner.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

impl Pen {
    /// The ages count on from those of the tables before.
    fn new(nth: usize, first_age: usize, n_rows: usize) -> Self {
        let ages = (first_age..first_age + n_rows).map(|age| Age(age as u32));
        let weights = (0..n_rows).map(|row| Weight(row as f32));
        Self {
            nth,
            ages: Values::new(ages),
            weights: (nth % 2 == 1).then(|| Values::new(weights)),
        }
    }
}

impl<const IS_COVERED: bool> Herd<IS_COVERED> {
    pub(super) fn new(lengths: &[usize]) -> Self {
        static NEXT_ID: AtomicUsize = AtomicUsize::new(0);
        let mut herd = Self {
            tables: Vec::new(),
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            n_changes: 0,
            n_lookups: AtomicUsize::new(0),
        };
        lengths.iter().for_each(|&n_rows| herd.add_table(n_rows));
        herd
    }

    pub(super) fn add_table(&mut self, n_rows: usize) {
        let (nth, first_age) = (
            self.tables.len(),
            self.values().iter().map(|one| one.0.len()).sum(),
        );
        self.tables.push(Pen::new(nth, first_age, n_rows));
        self.n_changes += 1;
    }

    /// Replaces the entities of a table. The version changes only if it covers rows.
    pub(super) fn refill(&mut self, table: usize, n_rows: usize) {
        self.tables[table] = Pen::new(table, 0, n_rows);
        self.n_changes += u64::from(IS_COVERED);
    }

    /// Returns the values of each table. A table without weights has an empty list of them.
    pub(super) fn values(&mut self) -> Vec<(Vec<Age>, Vec<Weight>)> {
        let values = self.tables.iter_mut().map(|pen| {
            let weights = pen.weights.as_mut().map(|weights| weights.get().to_vec());
            (pen.ages.get().to_vec(), weights.unwrap_or_default())
        });
        values.collect()
    }

    pub(super) fn n_lookups(&self) -> usize {
        self.n_lookups.load(Ordering::Relaxed)
    }
}

impl<const IS_COVERED: bool> Identity for Herd<IS_COVERED> {
    const ID: u128 = 0x4e8d + IS_COVERED as u128;
    const NAME: Name = Name::new("Herd");
}

impl<const IS_COVERED: bool> Resource for Herd<IS_COVERED> {}

impl<const IS_COVERED: bool> EntityStore for Herd<IS_COVERED> {}

// SAFETY: tables change only through an exclusive reference, and a change of their number changes the version. So does a change of
// rows if `IS_COVERED`. By the invariant, only the holders of addresses access values. All columns of a table are equally long.
unsafe impl<const IS_COVERED: bool> EntityTables for Herd<IS_COVERED> {
    type Itself = Self;
    type Entity = Cow;
    type Table<'s> = (&'s Self, &'s Pen);
    type Version = (usize, u64);

    const VERSION_COVERS_ROWS: bool = IS_COVERED;

    fn version(&self) -> (usize, u64) {
        (self.id, self.n_changes)
    }

    fn n_tables(&self) -> usize {
        self.tables.len()
    }

    fn table(&self, idx: usize) -> Self::Table<'_> {
        (self, &self.tables[idx])
    }

    fn n_rows((_, pen): Self::Table<'_>) -> usize {
        pen.ages.0.len()
    }

    fn has<C: Component>(table: Self::Table<'_>) -> bool {
        let component = TypeId::of::<C>();
        let has_weights = table.1.weights.is_some();
        component == TypeId::of::<Age>() || component == TypeId::of::<Weight>() && has_weights
    }

    fn entity((_, pen): Self::Table<'_>, row: usize) -> Cow {
        assert!(row < pen.ages.0.len());
        Cow {
            table: pen.nth,
            row,
        }
    }

    fn column<C: Component>((herd, pen): Self::Table<'_>) -> Option<NonNull<C>> {
        herd.n_lookups.fetch_add(1, Ordering::Relaxed);
        let component = TypeId::of::<C>();
        if component == TypeId::of::<Age>() {
            return Some(pen.ages.0.cast());
        }
        let weights = pen.weights.as_ref()?;
        (component == TypeId::of::<Weight>()).then(|| weights.0.cast())
    }
}

impl<const IS_COVERED: bool> EachParam<Herd<IS_COVERED>> for Cow {
    type State = EachEntity;
    const EACH: EachEntity = EachEntity;
}
