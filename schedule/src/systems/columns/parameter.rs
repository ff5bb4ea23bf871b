//! Whole columns, as parameters of systems.
#![expect(unsafe_code, reason = "takes the store out of a part")]

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::slice::{Iter, IterMut};
use std::sync::atomic::AtomicU64;

use super::column::OwnedColumn;
use super::id::{EntityId, Ids};
use super::kind::{EntityKind, HasColumn};
use super::store::Columns;
use super::terms::{declared, declared_mut};
use super::values::ColumnValues;
use crate::data::entity::{Component, Components, StoreRef};
use crate::data::param::{Assemble, Assembled, Param, Part, Seed};

/// The column of the component `C` in [`Columns<K>`], to read. It is a slice, and a parameter of systems.
///
/// The access is that of a query that reads `C` of all entities. So it conflicts with systems that write `C`, for each entity
/// or as a [`ColumnMut`], but not with systems that write other components.
///
/// ```
/// use schedule::columns::{ColumnMut, ColumnRef, Columns};
/// use schedule::entity::Component;
/// use schedule::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
///
/// #[derive(Component)]
/// struct Distance(f32);
///
/// #[derive(Columns)]
/// struct Runner {
///     position: Position,
///     distance: Distance,
/// }
///
/// /// Measures the distance of each runner to the runner before.
/// #[system]
/// fn measure(positions: ColumnRef<Runner, Position>, mut distances: ColumnMut<Runner, Distance>) {
///     for (pair, distance) in positions.windows(2).zip(&mut distances[1..]) {
///         distance.0 = pair[0].0 - pair[1].0;
///     }
/// }
///
/// let runner = |position| Runner { position: Position(position), distance: Distance(0.0) };
/// let mut runners: Columns<Runner> = [9.0, 5.0, 4.0].map(runner).into_iter().collect();
///
/// // A test calls the function with columns of a store.
/// let (positions, distances) = runners.columns_mut::<(&Position, &mut Distance)>();
/// measure(positions, distances);
/// assert_eq!(runners.column::<Distance>()[1].0, 4.0);
///
/// let mut resources = Resources::new();
/// resources.insert(runners);
/// Schedule::builder().add::<measure>().build()?.run(&mut resources)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ColumnRef<'r, K, C> {
    ids: &'r Ids<K>,
    pub(super) values: &'r [C],
}

/// The column of the component `C` in [`Columns<K>`], to write. It is a slice, and a parameter of systems.
///
/// As [`ColumnRef`], but it also conflicts with systems that read `C`. It counts as a write of each entity, see
/// [`Changed`](crate::entity::Changed). [`ColumnMut::swap`] exchanges its values with those of a buffer.
pub struct ColumnMut<'r, K, C> {
    pub(super) ids: &'r Ids<K>,
    /// The number of changes of the shared store.
    pub(super) n_shared_changes: &'r AtomicU64,
    pub(super) column: &'r OwnedColumn<C>,
    pub(super) values: ColumnValues<'r, C>,
}

/// Implements the methods and traits that only read, for both parameters.
macro_rules! read {
    ($Column:ident) => {
        impl<'r, K, C> $Column<'r, K, C> {
            /// Returns the ids of all entities by row: `ids()[row]` is the entity in the row.
            pub fn ids(&self) -> &'r [EntityId<K>] {
                self.ids.by_row()
            }

            /// Returns the row of an entity, if it exists. O(1).
            #[inline]
            pub fn row(&self, id: EntityId<K>) -> Option<usize> {
                self.ids.row(id)
            }
        }

        impl<'a, K, C> IntoIterator for &'a $Column<'_, K, C> {
            type Item = &'a C;
            type IntoIter = Iter<'a, C>;

            fn into_iter(self) -> Iter<'a, C> {
                self.iter()
            }
        }

        impl<K, C: fmt::Debug> fmt::Debug for $Column<'_, K, C> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                (**self).fmt(f)
            }
        }
    };
}

read!(ColumnRef);
read!(ColumnMut);

impl<'r, K, C> ColumnRef<'r, K, C> {
    pub(super) fn new(ids: &'r Ids<K>, values: &'r [C]) -> Self {
        Self { ids, values }
    }

    /// Returns the component of an entity, if the entity exists. O(1).
    #[inline]
    pub fn by_id(&self, id: EntityId<K>) -> Option<&'r C> {
        self.values.get(self.ids.row(id)?)
    }
}

impl<'r, K, C> ColumnMut<'r, K, C> {
    /// `values` are those of the column.
    pub(super) fn new(
        store: &'r Columns<K>,
        column: &'r OwnedColumn<C>,
        values: &'r mut [C],
    ) -> Self
    where
        K: EntityKind,
    {
        Self {
            ids: store.id_table(),
            n_shared_changes: store.n_shared_changes(),
            column,
            values: ColumnValues::new(values),
        }
    }

    /// Returns the component of an entity, if the entity exists. O(1).
    #[inline]
    pub fn by_id(&self, id: EntityId<K>) -> Option<&C> {
        self.get(self.ids.row(id)?)
    }

    /// Returns the component of an entity, to write, if the entity exists. O(1).
    #[inline]
    pub fn by_id_mut(&mut self, id: EntityId<K>) -> Option<&mut C> {
        let row = self.ids.row(id)?;
        self.get_mut(row)
    }
}

impl<K, C> Clone for ColumnRef<'_, K, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, C> Copy for ColumnRef<'_, K, C> {}

impl<K, C> Deref for ColumnRef<'_, K, C> {
    type Target = [C];

    #[inline]
    fn deref(&self) -> &[C] {
        self.values
    }
}

impl<K, C> Deref for ColumnMut<'_, K, C> {
    type Target = [C];

    #[inline]
    fn deref(&self) -> &[C] {
        self.values.get()
    }
}

impl<K, C> DerefMut for ColumnMut<'_, K, C> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [C] {
        self.values.get_mut()
    }
}

impl<'r, K, C> IntoIterator for ColumnRef<'r, K, C> {
    type Item = &'r C;
    type IntoIter = Iter<'r, C>;

    fn into_iter(self) -> Iter<'r, C> {
        self.values.iter()
    }
}

impl<'a, K, C> IntoIterator for &'a mut ColumnMut<'_, K, C> {
    type Item = &'a mut C;
    type IntoIter = IterMut<'a, C>;

    fn into_iter(self) -> IterMut<'a, C> {
        self.iter_mut()
    }
}

impl<'r, K, C> IntoIterator for ColumnMut<'r, K, C> {
    type Item = &'r mut C;
    type IntoIter = IterMut<'r, C>;

    fn into_iter(self) -> IterMut<'r, C> {
        self.values.into_mut().iter_mut()
    }
}

/// Assembles a [`ColumnRef`] (`Q` is `&C`) or a [`ColumnMut`] (`Q` is `&mut C`).
pub struct AssembleColumn<K, Q>(PhantomData<fn() -> (K, Q)>);

impl<K, Q> fmt::Debug for AssembleColumn<K, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AssembleColumn")
    }
}

// Only the implementations of `Param` require the component, so that the compiler reports it once if it is missing.
impl<K: EntityKind, C: Component> Assemble for AssembleColumn<K, &'static C> {
    type Parts = (
        StoreRef<'static, Columns<K>>,
        Components<'static, Columns<K>, &'static C>,
    );
    type Item<'r> = ColumnRef<'r, K, C>;

    #[inline]
    fn assemble<'r>((store, components): Part<'r, Self::Parts>) -> Self::Item<'r> {
        // SAFETY: the column does not give the store away.
        declared(unsafe { store.get() }, components)
    }
}

impl<K: EntityKind, C: Component> Assemble for AssembleColumn<K, &'static mut C> {
    type Parts = (
        StoreRef<'static, Columns<K>>,
        Components<'static, Columns<K>, &'static mut C>,
    );
    type Item<'r> = ColumnMut<'r, K, C>;

    #[inline]
    fn assemble<'r>((store, components): Part<'r, Self::Parts>) -> Self::Item<'r> {
        // SAFETY: as for a column to read.
        declared_mut(unsafe { store.get() }, components)
    }
}

impl<K: HasColumn<C>, C: Component> Param for ColumnRef<'_, K, C> {
    type State = Assembled<AssembleColumn<K, &'static C>>;
    const SEED: Seed<Self::State> = Assembled::SEED;
}

impl<K: HasColumn<C>, C: Component> Param for ColumnMut<'_, K, C> {
    type State = Assembled<AssembleColumn<K, &'static mut C>>;
    const SEED: Seed<Self::State> = Assembled::SEED;
}
