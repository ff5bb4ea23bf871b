//! Rows sorted by a key.

use super::kind::{EntityKind, HasColumn};
use super::store::Columns;
use super::terms::ColumnTerms;
use crate::base::user_value::UserValue;
use crate::data::entity::Component;

/// The components from which [`Columns::sort_by_key`] computes a key: `&C`, or a tuple of these. No other type implements this trait.
#[diagnostic::on_unimplemented(
    message = "rows of `{K}` cannot be sorted by `{Self}`",
    label = "not a reference to a component, or a tuple of these",
    note = "name the components that the key depends on as shared references: `sort_by_key::<&Position, _>(…)`, `sort_by_key::<(&Height, &Age), _>(…)`"
)]
pub trait KeyTerms<K: EntityKind>: ColumnTerms<K> {
    /// The components of one row.
    type Row<'r>;

    #[doc(hidden)]
    fn row<'r>(columns: &Self::Columns<'r>, row: usize) -> Self::Row<'r>;
}

impl<K: HasColumn<C>, C: Component> KeyTerms<K> for &'static C {
    type Row<'r> = &'r C;

    #[inline]
    fn row<'r>(column: &Self::Columns<'r>, row: usize) -> &'r C {
        &column.values[row]
    }
}

macro_rules! tuples {
    ($($term:ident $index:tt),*) => {
        #[allow(clippy::unused_unit, reason = "the empty tuple has no elements")]
        impl<Kind: EntityKind, $($term: KeyTerms<Kind>),*> KeyTerms<Kind> for ($($term,)*) {
            type Row<'r> = ($($term::Row<'r>,)*);

            #[inline]
            fn row<'r>(columns: &Self::Columns<'r>, row: usize) -> Self::Row<'r> {
                let _ = (columns, row);
                ($($term::row(&columns.$index, row),)*)
            }
        }
    };
}

tuples!();
crate::__for_each_tuple!(tuples);

/// A new order of all rows.
///
/// Invariant: `by_row[new_row]` is the row before. Each row of the store is in it once.
#[derive(Debug)]
#[expect(unnameable_types, reason = "only columns get it")]
pub struct RowOrder {
    by_row: Vec<u32>,
}

impl RowOrder {
    /// Returns the order of ascending keys. `None` if it is the present one. Rows with equal keys keep their order.
    fn of_keys<T: Ord>(keys: impl Iterator<Item = T>) -> Option<Self> {
        let mut keys: Vec<(UserValue<T>, u32)> = keys.map(UserValue::new).zip(0..).collect();
        keys.sort_by(|one, other| one.0.cmp(&*other.0));
        let by_row: Vec<u32> = keys.into_iter().map(|(_, row)| row).collect();
        (!by_row.is_sorted()).then_some(Self { by_row })
    }

    /// Returns the rows before, by row.
    #[inline]
    pub(super) fn by_row(&self) -> &[u32] {
        &self.by_row
    }
}

impl<K: EntityKind> Columns<K> {
    /// Sorts the rows by a key that is computed from components. Rows with equal keys keep their order.
    ///
    /// Ids stay valid, and the components of an entity stay together: only rows change. `key` is called once for each row. The result
    /// depends only on the keys and the previous order, so it is the same in each run of a program. A sort is not a change of a component.
    ///
    /// If entities that are close to each other in space are in rows that are close to each other, systems that look at neighbours miss
    /// the cache of the processor less often. Sort by the cell of a grid, from time to time: entities move slowly between cells.
    ///
    /// ```
    /// use schedule::columns::Columns;
    /// use schedule::entity::Component;
    /// use schedule::prelude::*;
    ///
    /// #[derive(Component, Debug, PartialEq)]
    /// struct Position(f32, f32);
    ///
    /// #[derive(Component)]
    /// struct Age(u32);
    ///
    /// #[derive(Columns)]
    /// struct Fish {
    ///     position: Position,
    ///     age: Age,
    /// }
    ///
    /// #[system]
    /// fn sort_by_cell(fish: &mut Columns<Fish>) {
    ///     fish.sort_by_key::<&Position, _>(|position| (position.1 as u32, position.0 as u32));
    /// }
    ///
    /// let mut fish = Columns::new();
    /// let pike = fish.spawn(Fish { position: Position(0.5, 2.5), age: Age(7) });
    /// let carp = fish.spawn(Fish { position: Position(3.5, 1.5), age: Age(4) });
    /// sort_by_cell(&mut fish);
    /// assert_eq!(fish.ids(), [carp, pike]);
    /// assert_eq!(fish.row(pike), Some(1));
    ///
    /// // Several components, in descending order.
    /// use std::cmp::Reverse;
    /// fish.sort_by_key::<(&Age, &Position), _>(|(age, position)| Reverse((age.0, position.0 as u32)));
    /// assert_eq!(fish.ids(), [pike, carp]);
    /// ```
    ///
    /// O(n log n) comparisons and O(n × components) moves. O(n) if the rows are sorted already. If a key panics, nothing has changed.
    pub fn sort_by_key<Q: KeyTerms<K>, T: Ord>(&mut self, mut key: impl FnMut(Q::Row<'_>) -> T) {
        let n_rows = self.len();
        let order = {
            let columns = self.columns_mut::<Q>();
            RowOrder::of_keys((0..n_rows).map(|row| key(Q::row(&columns, row))))
        };
        if let Some(order) = order {
            self.reorder(&order);
        }
    }
}
