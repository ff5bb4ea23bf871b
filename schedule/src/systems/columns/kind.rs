//! Kinds of entity, and the interface to the code of the derive.
#![expect(unsafe_code, reason = "declares what the code of the derive promises")]

use core::any::Any;

use super::column::{AnyColumn, OwnedColumn};
use super::store::Columns;
use crate::base::identity::Identity;
use crate::data::entity::{Component, ComponentId};

/// A kind of entity: a struct with one component in each field. All entities of a kind have the same components.
///
/// Derive it with `#[derive(Columns)]`. A value of the struct is a new entity, before [`Columns`](struct@super::Columns) stores it.
///
/// ```
/// use schedule::columns::Columns;
/// use schedule::entity::Component;
///
/// #[derive(Component)]
/// struct Position(f32);
///
/// #[derive(Component)]
/// struct Fuel(u32);
///
/// #[derive(Columns)]
/// struct Rocket {
///     position: Position,
///     fuel: Fuel,
/// }
///
/// let mut rockets = Columns::new();
/// rockets.spawn(Rocket { position: Position(0.0), fuel: Fuel(9) });
/// assert_eq!(rockets.column::<Fuel>()[0].0, 9);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kind of entity",
    label = "not a kind of entity",
    note = "write a struct whose fields are components, with `#[derive(Columns)]`"
)]
pub trait EntityKind: Identity + Send + Sync + Sized + 'static {
    #[doc(hidden)]
    type Columns: ColumnSet<Kind = Self>;
    #[doc(hidden)]
    const COMPONENTS: &'static [ComponentId<Columns<Self>>];
}

/// A kind of entity with the component `C`. `#[derive(Columns)]` implements it for the type of each field.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no component `{C}`",
    label = "no field of `{Self}` has the type `{C}`",
    note = "name the type of a field of `{Self}`, or add a field of this type"
)]
pub trait HasColumn<C>: EntityKind {}

/// The columns of all entities of a kind. `#[derive(Columns)]` implements it.
///
/// # Safety
///
/// `for_each` always visits the same columns, each once. The value owns them, and only its exclusive methods change their rows.
#[doc(hidden)]
pub unsafe trait ColumnSet: Default + Send + Sync + 'static {
    /// The kind of the entities.
    type Kind;

    /// Adds an entity in a new row.
    fn push(&mut self, entity: Self::Kind);

    /// Removes a row, and moves the last row there.
    fn swap_remove(&mut self, row: usize) -> Self::Kind;

    /// Calls a function with each column.
    fn for_each<'s>(&'s self, visit: impl FnMut(&'s dyn AnyColumn));

    /// Calls a function with each column.
    fn for_each_mut(&mut self, visit: impl FnMut(&mut dyn AnyColumn));

    /// Returns the column of a component.
    #[inline]
    fn find<C: Component>(&self) -> Option<&OwnedColumn<C>> {
        let mut found = None;
        self.for_each(|column| {
            let column: &dyn Any = column;
            found = found.or_else(|| column.downcast_ref());
        });
        found
    }
}

/// Declares the columns of a kind of entity.
///
/// The derive expands to it, so that paths in the unsafe implementation do not depend on `crate = path`, which can name any module.
#[doc(hidden)]
#[macro_export]
macro_rules! __column_set {
    ($vis:vis struct $columns:ident of $kind:ident { $($field:ident $name:literal: $component:ty,)* }) => {
        #[doc(hidden)]
        #[derive($crate::__private::core::default::Default)]
        $vis struct $columns {
            $($field: $crate::__private::OwnedColumn<$component>,)*
        }

        #[automatically_derived]
        // SAFETY: both methods visit each field once. Each is an owned column in the value, and its methods that change rows need
        // an exclusive reference.
        unsafe impl $crate::__private::ColumnSet for $columns {
            type Kind = $kind;

            #[inline]
            fn push(&mut self, entity: $kind) {
                $($crate::__private::OwnedColumn::push(&mut self.$field, entity.$field);)*
            }

            #[inline]
            fn swap_remove(&mut self, row: $crate::__private::core::primitive::usize) -> $kind {
                $kind {
                    $($field: $crate::__private::OwnedColumn::swap_remove(&mut self.$field, row),)*
                }
            }

            #[inline]
            fn for_each<'s>(
                &'s self,
                mut visit: impl $crate::__private::core::ops::FnMut(
                    &'s dyn $crate::__private::AnyColumn,
                ),
            ) {
                $(visit(&self.$field);)*
            }

            #[inline]
            fn for_each_mut(
                &mut self,
                mut visit: impl $crate::__private::core::ops::FnMut(
                    &mut dyn $crate::__private::AnyColumn,
                ),
            ) {
                $(visit(&mut self.$field);)*
            }
        }

        $crate::__clone_columns! { $columns { $($field: $component,)* } }
        $crate::__saved_columns! { $columns { $($field $name: $component,)* } }
        $crate::__serde_columns! { $columns { $($field $name: $component,)* } }
    };
}

/// Without the feature `snapshot`, columns cannot be saved.
#[cfg(not(feature = "snapshot"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __saved_columns {
    ($($columns:tt)*) => {};
}

/// Without the feature `serde` or `snapshot`, columns cannot be serialized.
#[cfg(not(any(feature = "serde", feature = "snapshot")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_columns {
    ($($columns:tt)*) => {};
}
