//! Copies of a store, with all ids, rows and free ids.
//!
//! Invariant: while a [`ReadComponents`] exists, nothing writes the components of the store that created it. It is given only to the code of the
//! derive, together with the columns of this store.
#![expect(unsafe_code, reason = "reads the values of shared columns")]

use core::fmt;
use core::marker::PhantomData;

use super::column::OwnedColumn;
use super::kind::{ColumnSet, EntityKind};
use super::store::Columns;
use crate::base::identity::Identity;
use crate::data::resource::Resource;
use crate::data::resource::loans::Loans;

/// The permission to read all components of a store.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct ReadComponents<'s>(PhantomData<&'s ()>);

/// A system has a shared reference to the store, so others may write its components.
#[derive(Debug)]
pub(super) struct OnLoan<K>(PhantomData<fn() -> K>);

impl<K: EntityKind> fmt::Display for OnLoan<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let store = Columns::<K>::NAME;
        write!(
            f,
            "a system that takes `&{store}` cannot copy the entities, because other systems may write them meanwhile; take `&mut {store}`, or copy between runs"
        )
    }
}

impl<K: EntityKind> Columns<K> {
    /// Permits to read all components, unless a system has a shared reference to the store.
    pub(super) fn read_all(&self) -> Result<ReadComponents<'_>, OnLoan<K>> {
        // A system that gets the store counts as a loan. Without one, this reference is from outside of a run, or from a system that
        // has exclusive access.
        if self.__loans().is_some_and(Loans::are_any) {
            Err(OnLoan(PhantomData))
        } else {
            Ok(ReadComponents(PhantomData))
        }
    }
}

impl<C> OwnedColumn<C> {
    /// Returns the values.
    #[inline]
    pub(super) fn values<'s>(&'s self, _: ReadComponents<'s>) -> &'s [C] {
        // SAFETY: by the invariant, nothing writes the values.
        unsafe { self.read() }
    }

    /// Returns a copy without marks.
    pub fn cloned(&self, read: ReadComponents<'_>) -> Self
    where
        C: Clone,
    {
        let mut copy = Self::default();
        copy.set_cloned(self, read);
        copy
    }

    /// Becomes a copy without marks, and keeps the memory.
    pub fn set_cloned(&mut self, source: &Self, read: ReadComponents<'_>)
    where
        C: Clone,
    {
        self.set_values(source.values(read).iter().cloned());
    }
}

/// The columns of a kind whose components implement `Clone`.
#[doc(hidden)]
pub trait CloneColumns: ColumnSet {
    /// Returns copies of all columns.
    fn cloned(&self, read: ReadComponents<'_>) -> Self;

    /// Replaces all columns by copies, and keeps their memory.
    fn set_cloned(&mut self, source: &Self, read: ReadComponents<'_>);
}

/// Copies all entities, if all components of the kind implement `Clone`. The copy has the same ids and rows, and gives the same ids to new
/// entities. `clone_from` keeps the memory of the columns.
///
/// A system that watches components finds all of them changed in its next run with a copy. [`Removed`](crate::entity::Removed) finds no
/// entity: those that were despawned before the copy are forgotten, also by `clone_from`.
///
/// # Panics
///
/// Panics in a system that takes `&Columns` or `&Resources`, because other systems may write components at the same time. A system that
/// takes `&mut Columns` can copy them.
impl<K: EntityKind<Columns: CloneColumns>> Clone for Columns<K> {
    fn clone(&self) -> Self {
        let read = self.read_all().unwrap_or_else(|error| panic!("{error}"));
        self.copy(self.columns().cloned(read))
    }

    fn clone_from(&mut self, source: &Self) {
        let read = source.read_all().unwrap_or_else(|error| panic!("{error}"));
        self.set_copy(source, |columns| {
            columns.set_cloned(source.columns(), read);
        });
    }
}

/// Declares how the columns of a kind are copied. Part of [`column_set`](crate::__column_set).
///
/// The bounds have a lifetime, so that they may be false for a type without parameters.
#[doc(hidden)]
#[macro_export]
macro_rules! __clone_columns {
    ($columns:ident { $($field:ident: $component:ty,)* }) => {
        #[automatically_derived]
        impl $crate::__private::CloneColumns for $columns
        where
            $(for<'__any> $component: $crate::__private::core::clone::Clone,)*
        {
            fn cloned(&self, read: $crate::__private::ReadComponents<'_>) -> Self {
                Self {
                    $($field: $crate::__private::OwnedColumn::cloned(&self.$field, read),)*
                }
            }

            fn set_cloned(&mut self, source: &Self, read: $crate::__private::ReadComponents<'_>) {
                $($crate::__private::OwnedColumn::set_cloned(
                    &mut self.$field,
                    &source.$field,
                    read,
                );)*
            }
        }
    };
}
