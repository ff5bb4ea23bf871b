//! Double buffering: a component for the next values of another one, and the exchange of both columns.
//!
//! Invariant: a [`ColumnMut`] is the only access to its column, by the invariant of `terms`. Its values are those of the column.
#![expect(unsafe_code, reason = "exchanges the values of shared columns")]

use core::ops::{Deref, DerefMut};
use core::ptr;
use std::sync::atomic::Ordering;

use super::parameter::ColumnMut;
use super::values::ColumnValues;
use crate::base::identity::{Argument, Identity, Name, declared_here, mix};
use crate::data::entity::{Component, ComponentType};

/// The next value of the component `C`, as a component of its own. [`ColumnMut::swap`] exchanges all next values with the current ones.
///
/// While systems compute the next values, all of them read the current ones. So the result does not depend on the order of entities:
///
/// ```
/// use schedule::columns::{Buffer, ColumnMut, ColumnRef, Columns};
/// use schedule::entity::{Component, Row};
/// use schedule::prelude::*;
///
/// #[derive(Component, Clone, Copy, Debug, PartialEq)]
/// struct Heat(f32);
///
/// #[derive(Columns)]
/// struct Cell {
///     heat: Heat,
///     next: Buffer<Heat>,
/// }
///
/// /// Computes the next heat of each cell from that of its neighbours.
/// #[system]
/// fn spread(heats: ColumnRef<Cell, Heat>, mut next: ColumnMut<Cell, Buffer<Heat>>) {
///     for (three, next) in heats.windows(3).zip(&mut next[1..]) {
///         next.0.0 = (three[0].0 + three[2].0) / 2.0;
///     }
/// }
///
/// #[system(after = spread)]
/// fn advance(mut heats: ColumnMut<Cell, Heat>, mut next: ColumnMut<Cell, Buffer<Heat>>) {
///     ColumnMut::swap(&mut heats, &mut next);
/// }
///
/// let cell = |heat| Cell { heat: Heat(heat), next: Buffer(Heat(0.0)) };
/// let mut resources = Resources::new();
/// resources.insert(Columns::from_iter([0.0, 4.0, 8.0, 0.0].map(cell)));
/// Schedule::builder().add::<spread>().add::<advance>().build()?.run(&mut resources)?;
/// let cells = resources.get_mut::<Columns<Cell>>().unwrap();
/// assert_eq!(*cells.column::<Heat>(), [0.0, 4.0, 2.0, 0.0].map(Heat));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Buffer<C>(
    /// The next value.
    pub C,
);

// No error about another type should advise a buffer.
#[diagnostic::do_not_recommend]
impl<C: Component> Identity for Buffer<C> {
    const ID: u128 = mix(declared_here(module_path!(), "Buffer"), C::ID);
    const NAME: Name = Name::generic("Buffer", &[Argument::Type(C::NAME)]);
}

#[diagnostic::do_not_recommend]
impl<C: Component> ComponentType for Buffer<C> {
    type Itself = Self;
}

#[diagnostic::do_not_recommend]
impl<C: Component> Component for Buffer<C> {}

impl<C> Deref for Buffer<C> {
    type Target = C;

    #[inline]
    fn deref(&self) -> &C {
        &self.0
    }
}

impl<C> DerefMut for Buffer<C> {
    #[inline]
    fn deref_mut(&mut self) -> &mut C {
        &mut self.0
    }
}

impl<K, C> ColumnMut<'_, K, C> {
    /// Exchanges the values of a column with those of its buffer. O(1): no value moves.
    ///
    /// Both components count as written for each entity, as with each [`ColumnMut`]. See [`Buffer`] for an example.
    ///
    /// It is not a method, because `column.swap(2, 3)` exchanges two values, as for every slice.
    ///
    /// # Panics
    ///
    /// Panics if the columns are of two stores.
    pub fn swap(this: &mut Self, buffer: &mut ColumnMut<'_, K, Buffer<C>>) {
        assert!(
            ptr::eq(this.ids, buffer.ids),
            "the columns to swap are of two stores; take both from the same one"
        );
        // SAFETY: by the invariant, only these two access the columns. Both are borrowed exclusively, so no reference to a value is
        // in use, and their own addresses are replaced below.
        unsafe { this.column.swap(buffer.column) };
        // SAFETY: by the invariant, nothing else accesses the column.
        this.values = ColumnValues::new(unsafe { this.column.write() });
        // SAFETY: as before, for the buffer.
        buffer.values = ColumnValues::new(unsafe { buffer.column.write() });
        // Relaxed: as in `Columns::version`.
        this.n_shared_changes.fetch_add(1, Ordering::Relaxed);
    }
}
