//! Filters that match rows by their marks.
//!
//! Invariant: that of [`marked`](crate::entity::marked). A filter declares that it reads the components of all entities. So while a system
//! has it, nothing writes their marks.
#![expect(unsafe_code, reason = "reads marks by their addresses")]

use core::marker::PhantomData;

use super::super::marked::MarksAddress;
use super::{Component, EntityFilter, EntityStore, EntityTables, component, sealed};
use crate::data::access::{Access, FilterTerm};
use crate::data::entity::ChangeMemory;

/// Matches entities whose component `C` was written or added since this system last ran.
///
/// When a system runs for the first time, it matches all entities with the component. A system that takes `&mut C` writes each entity that
/// it visits, and one that takes [`Mut<C>`](crate::param::Mut) only those that it writes. Writes of all schedules count, and those of the
/// program between runs, in the order of the runs.
///
/// The filter reads `C`. So the system conflicts with each system that writes `C`, also if it writes other entities, and needs an order
/// with it. A query cannot have the filter and write `C`.
///
/// A `for_each` system has the filter by `changed = C`:
///
/// ```
/// use schedule::columns::Columns;
/// use schedule::entity::Component;
/// use schedule::param::Mut;
/// use schedule::prelude::*;
///
/// #[derive(Component)]
/// struct Speed(u32);
///
/// #[derive(Component)]
/// struct Noise(u32);
///
/// #[derive(Columns)]
/// struct Car {
///     speed: Speed,
///     noise: Noise,
/// }
///
/// #[system(for_each = Columns<Car>)]
/// fn brake(mut speed: Mut<Speed>) {
///     if speed.0 > 90 {
///         speed.0 = 90;
///     }
/// }
///
/// #[system(for_each = Columns<Car>, changed = Speed, after = brake)]
/// fn update_noise(speed: &Speed, noise: &mut Noise) {
///     noise.0 = speed.0 * speed.0;
/// }
///
/// let car = |speed| Car { speed: Speed(speed), noise: Noise(0) };
/// let mut resources = Resources::new();
/// resources.insert(Columns::from_iter([80, 100].map(car)));
/// let mut frame = Schedule::builder().add::<brake>().add::<update_noise>().build()?;
/// frame.run(&mut resources)?;
///
/// // Only the first car changes.
/// let cars = resources.get_mut::<Columns<Car>>().unwrap();
/// let noises = cars.column_mut::<Noise>();
/// noises.into_iter().for_each(|noise| noise.0 = 1);
/// let first = cars.ids()[0];
/// cars.get_mut::<Speed>(first).unwrap().0 = 95;
/// frame.run(&mut resources)?;
/// let noises = resources.get_mut::<Columns<Car>>().unwrap().column::<Noise>();
/// assert_eq!([noises[0].0, noises[1].0], [8_100, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Changed<C>(PhantomData<fn() -> C>);

/// Matches entities that got the component `C` since this system last ran: they were spawned with it, or it was inserted.
///
/// When a system runs for the first time, it matches all entities with the component. Replacing a component is a change, see [`Changed`], but
/// adds nothing. Otherwise as [`Changed`]. A `for_each` system has the filter by `added = C`.
#[derive(Debug)]
pub struct Added<C>(PhantomData<fn() -> C>);

/// The marks of a table, and the time after which they match. `None`: the table does not have the component.
#[derive(Clone, Copy, Debug)]
#[expect(unnameable_types, reason = "only filters keep it")]
pub struct RowsSince {
    marks: Option<MarksAddress>,
    since: u64,
}

/// Implements a filter that reads marks.
macro_rules! of_rows {
    ($filter:ident, $may_have:ident, $all_have:ident, $mark:ident) => {
        impl<C: Component> sealed::SealedFilter for $filter<C> {}

        impl<S: EntityStore, C: Component> EntityFilter<S> for $filter<C> {
            const TERM: FilterTerm = FilterTerm::With(component::<S, C>());
            const READS: Access = Access::Read(component::<S, C>());
            const IS_PER_ROW: bool = true;

            type Memory = ChangeMemory;
            type Rows = RowsSince;

            fn matches(table: S::Table<'_>) -> bool
            where
                S: EntityTables,
            {
                S::has::<C>(table)
            }

            #[inline]
            fn look(store: &S, memory: &mut ChangeMemory)
            where
                S: EntityTables,
            {
                const {
                    assert!(
                        S::HAS_MARKS,
                        "this store keeps no marks, so no filter can test for changes"
                    )
                };
                memory.look(store.watch::<C>());
            }

            #[inline]
            fn rows(table: S::Table<'_>, memory: &ChangeMemory) -> RowsSince
            where
                S: EntityTables,
            {
                RowsSince {
                    marks: MarksAddress::find::<S, C>(table),
                    since: memory.since(),
                }
            }

            #[inline(always)]
            unsafe fn can_match(RowsSince { marks, since }: RowsSince, block: usize) -> bool {
                marks.is_some_and(|marks| {
                    // SAFETY: the conditions are the same.
                    let marks = unsafe { marks.get() };
                    marks.column.$may_have(block, since)
                })
            }

            #[inline(always)]
            unsafe fn matches_all(RowsSince { marks, since }: RowsSince, block: usize) -> bool {
                marks.is_some_and(|marks| {
                    // SAFETY: the conditions are the same.
                    let marks = unsafe { marks.get() };
                    marks.column.$all_have(block, since)
                })
            }

            #[inline(always)]
            unsafe fn matches_row(RowsSince { marks, since }: RowsSince, row: usize) -> bool {
                marks.is_some_and(|marks| {
                    // SAFETY: the conditions are the same.
                    let marks = unsafe { marks.get() };
                    marks.column.get(row).$mark > since
                })
            }
        }
    };
}

of_rows!(Changed, may_have_changed, all_have_changed, changed);
of_rows!(Added, may_have_added, all_have_added, added);
