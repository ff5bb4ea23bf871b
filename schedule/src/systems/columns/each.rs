//! Whole columns as parameters of `for_each` systems.
#![expect(
    unsafe_code,
    reason = "implements `EachFetch` without access to the entity"
)]

use core::fmt;
use core::marker::PhantomData;

use super::kind::{EntityKind, HasColumn};
use super::parameter::{ColumnMut, ColumnRef};
use crate::data::entity::{Component, EachFetch, EachParam, EntityTables, RefusedParam};
use crate::data::param::Part;

/// The state of a [`ColumnRef`] in a `for_each` system. All entities share the column.
pub struct EachColumn<K, C>(PhantomData<fn() -> (K, C)>);

impl<K, C> fmt::Debug for EachColumn<K, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EachColumn")
    }
}

impl<S: EntityTables, K: HasColumn<C>, C: Component> EachParam<S> for ColumnRef<'_, K, C> {
    type State = EachColumn<K, C>;
    const EACH: Self::State = EachColumn(PhantomData);
}

// SAFETY: the item accesses no component of the entity by itself, and others only by the source.
unsafe impl<S: EntityTables, K: EntityKind + HasColumn<C>, C: Component> EachFetch<S>
    for EachColumn<K, C>
{
    type Terms = ();
    type Source = ColumnRef<'static, K, C>;
    type Shared<'s> = ColumnRef<'s, K, C>;
    type Columns = ();
    type Block = ();
    type Item<'q> = ColumnRef<'q, K, C>;

    fn matches(_: S::Table<'_>) -> bool {
        true
    }

    #[inline]
    fn columns(_: S::Table<'_>) {}

    #[inline]
    fn share<'s>(column: &'s mut Part<'_, Self::Source>) -> ColumnRef<'s, K, C> {
        *column
    }

    #[inline]
    fn begin_block(_: ColumnRef<'_, K, C>) {}

    #[inline]
    unsafe fn item<'q, 's: 'q>(
        _: S::Table<'s>,
        (): (),
        column: ColumnRef<'s, K, C>,
        (): &'q mut (),
        _: usize,
    ) -> ColumnRef<'q, K, C> {
        column
    }

    fn end_block(_: &mut Part<'_, Self::Source>, (): &mut ()) {}
}

#[diagnostic::do_not_recommend]
impl<S: EntityTables, K: HasColumn<C>, C: Component> EachParam<S> for ColumnMut<'_, K, C> {
    type State = RefusedParam<ColumnMut<'static, K, C>>;
    const EACH: Self::State = RefusedParam::NEW;
}
