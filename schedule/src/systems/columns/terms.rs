//! Several columns of a store at once.
//!
//! Invariant: a column is accessed as the terms say only if nothing that conflicts with the terms is in use: a system has
//! declared the access and holds [`Components`] as the proof, or the store is borrowed exclusively.
#![expect(unsafe_code, reason = "accesses columns of a shared store")]

use super::kind::{EntityKind, HasColumn};
use super::parameter::{ColumnMut, ColumnRef};
use super::store::Columns;
use crate::data::entity::{Component, ComponentTerms, Components};

/// The columns that [`Columns::columns_mut`] returns: `&C` is a [`ColumnRef`], `&mut C` is a [`ColumnMut`], and a tuple has
/// several. No other type can be a term.
pub trait ColumnTerms<K: EntityKind>: ComponentTerms<Columns<K>> {
    /// The columns.
    type Columns<'r>;

    /// Returns the columns.
    ///
    /// # Safety
    ///
    /// While the result is in use, nothing that conflicts with these terms accesses the columns of the store.
    #[doc(hidden)]
    unsafe fn columns(store: &Columns<K>) -> Self::Columns<'_>;
}

impl<K: HasColumn<C>, C: Component> ColumnTerms<K> for &'static C {
    type Columns<'r> = ColumnRef<'r, K, C>;

    unsafe fn columns(store: &Columns<K>) -> ColumnRef<'_, K, C> {
        // SAFETY: the caller guarantees that nothing writes the column.
        unsafe { read(store) }
    }
}

impl<K: HasColumn<C>, C: Component> ColumnTerms<K> for &'static mut C {
    type Columns<'r> = ColumnMut<'r, K, C>;

    unsafe fn columns(store: &Columns<K>) -> ColumnMut<'_, K, C> {
        // SAFETY: the caller guarantees that nothing else accesses the column.
        unsafe { write(store) }
    }
}

macro_rules! tuples {
    ($($term:ident $index:tt),*) => {
        #[allow(clippy::unused_unit, reason = "the empty tuple has no elements")]
        impl<Kind: EntityKind, $($term: ColumnTerms<Kind>),*> ColumnTerms<Kind> for ($($term,)*) {
            type Columns<'r> = ($($term::Columns<'r>,)*);

            unsafe fn columns(store: &Columns<Kind>) -> Self::Columns<'_> {
                let _ = store;
                // SAFETY: the guarantee of the caller includes each element.
                ($(unsafe { $term::columns(store) },)*)
            }
        }
    };
}

tuples!();
crate::__for_each_tuple!(tuples);

/// Returns a column, to read.
///
/// # Safety
///
/// While the result is in use, nothing writes the column.
unsafe fn read<K: EntityKind, C: Component>(store: &Columns<K>) -> ColumnRef<'_, K, C> {
    let column = store.find().expect("the kind has this component");
    // SAFETY: the caller guarantees that nothing writes the column.
    ColumnRef::new(store.id_table(), unsafe { column.read() })
}

/// Returns a column, to write.
///
/// # Safety
///
/// While the result is in use, nothing else accesses the column.
unsafe fn write<K: EntityKind, C: Component>(store: &Columns<K>) -> ColumnMut<'_, K, C> {
    let column = store.find().expect("the kind has this component");
    if let Some(marks) = column.marks() {
        marks
            .column
            .mark_rows(0..store.len(), marks.clock.advance());
    }
    // SAFETY: the caller guarantees that nothing else accesses the column.
    ColumnMut::new(store, column, unsafe { column.write() })
}

/// Returns a column that a system has declared that it reads.
pub(super) fn declared<'r, K: EntityKind, C: Component>(
    store: &'r Columns<K>,
    _: Components<'r, Columns<K>, &'static C>,
) -> ColumnRef<'r, K, C> {
    // SAFETY: the system declares that it reads the column, so nothing writes it during the run of the system.
    unsafe { read(store) }
}

/// Returns a column that a system has declared that it writes.
pub(super) fn declared_mut<'r, K: EntityKind, C: Component>(
    store: &'r Columns<K>,
    _: Components<'r, Columns<K>, &'static mut C>,
) -> ColumnMut<'r, K, C> {
    // SAFETY: the system declares that it writes the column, so nothing else accesses it during the run of the system.
    unsafe { write(store) }
}

impl<K: EntityKind> Columns<K> {
    /// Returns the value of a row, to write. The caller marks it.
    pub(super) fn value_mut<C: Component>(&mut self, row: usize) -> Option<&mut C> {
        let column = self.find::<C>()?;
        // SAFETY: the store is borrowed exclusively for as long as the result.
        unsafe { column.write() }.get_mut(row)
    }

    /// Returns a column, to read.
    pub fn column<C: Component>(&mut self) -> ColumnRef<'_, K, C>
    where
        K: HasColumn<C>,
    {
        self.columns_mut::<&C>()
    }

    /// Returns a column, to write.
    pub fn column_mut<C: Component>(&mut self) -> ColumnMut<'_, K, C>
    where
        K: HasColumn<C>,
    {
        self.columns_mut::<&mut C>()
    }

    /// Returns several columns: `columns_mut::<(&mut Position, &Velocity)>()`.
    ///
    /// Terms that conflict do not compile:
    ///
    /// ```compile_fail
    /// # use schedule::columns::Columns;
    /// # use schedule::entity::Component;
    /// # #[derive(Component)]
    /// # struct Position(f32);
    /// # #[derive(Columns)]
    /// # struct Bird { position: Position }
    /// let mut birds = Columns::<Bird>::new();
    /// birds.columns_mut::<(&mut Position, &Position)>();
    /// ```
    pub fn columns_mut<Q: ColumnTerms<K>>(&mut self) -> Q::Columns<'_> {
        const { Components::<Self, Q>::DISTINCT };
        // SAFETY: the store is borrowed exclusively for as long as the result, and no two of the terms conflict.
        unsafe { Q::columns(self) }
    }
}
