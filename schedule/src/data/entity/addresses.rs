//! The addresses of the columns of a table, with and without those of marks.

use super::column::Column;
use super::marked::WrittenColumn;

/// The addresses that a parameter of a `for_each` system uses in a table.
///
/// Loops keep only those of values, so that they are in one cache line. Marks are rare, and take four times as much.
pub trait ColumnAddresses: Copy + Send + Sync + 'static {
    /// The addresses of values.
    type Values: Copy + Send + Sync + 'static;

    /// Returns the addresses of values.
    fn values(self) -> Self::Values;

    /// Returns the addresses for components of which none is watched.
    fn unmarked(values: Self::Values) -> Self;
}

impl<C: 'static> ColumnAddresses for Column<C>
where
    Self: Send + Sync,
{
    type Values = Self;

    #[inline(always)]
    fn values(self) -> Self {
        self
    }

    #[inline(always)]
    fn unmarked(values: Self) -> Self {
        values
    }
}

impl<C: 'static> ColumnAddresses for WrittenColumn<C>
where
    Self: Send + Sync,
    Column<C>: Send + Sync,
{
    type Values = Column<C>;

    #[inline(always)]
    fn values(self) -> Column<C> {
        self.values
    }

    #[inline(always)]
    fn unmarked(values: Column<C>) -> Self {
        Self {
            values,
            marks: None,
        }
    }
}

impl<A: ColumnAddresses> ColumnAddresses for Option<A> {
    type Values = Option<A::Values>;

    #[inline(always)]
    fn values(self) -> Self::Values {
        self.map(A::values)
    }

    #[inline(always)]
    fn unmarked(values: Self::Values) -> Self {
        values.map(A::unmarked)
    }
}

macro_rules! tuples {
    ($($column:ident $index:tt),*) => {
        #[allow(clippy::unused_unit, unused_variables, reason = "the empty tuple has no elements")]
        impl<$($column: ColumnAddresses),*> ColumnAddresses for ($($column,)*) {
            type Values = ($($column::Values,)*);

            #[inline(always)]
            fn values(self) -> Self::Values {
                ($(self.$index.values(),)*)
            }

            #[inline(always)]
            fn unmarked(values: Self::Values) -> Self {
                ($($column::unmarked(values.$index),)*)
            }
        }
    };
}

tuples!();
crate::__for_each_tuple!(tuples);
