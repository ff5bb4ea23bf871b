//! The parameters of `for_each` systems.
#![expect(
    unsafe_code,
    reason = "implements `EachFetch` without access to components, or by the elements of a tuple"
)]

mod component;
mod message;
mod resource;

use core::fmt;
use core::marker::PhantomData;
use core::mem::{replace, swap};
use core::ops::Range;

pub use self::resource::{EachResource, SharedResources};
use super::{ColumnAddresses, ComponentTerms, EntityTables, Row};
use crate::base::user_value::UserValue;
use crate::data::access::Access;
use crate::data::param::{
    BlockFolds, CommandQueue, Commands, Declares, Fold, Foldable, Param, Part,
};

/// A parameter of a `for_each` system, except resources. `S` is the store of the entities.
///
/// | parameter | meaning |
/// |---|---|
/// | `&C`, `&mut C` | a [`Component`](super::Component) of the entity. The system runs only for entities that have it |
/// | `Option<&C>`, `Option<&mut C>` | a component, or `None` if the entity does not have it |
/// | [`Mut<C>`](crate::param::Mut), `Option<Mut<C>>` | as `&mut C`, but only entities that are written through it count as changed |
/// | the type [`EntityTables::Entity`] | the id of the entity |
/// | [`Row`] | the position of the entity in its table |
/// | [`Fold<R>`] | folds values into a resource |
/// | [`MessageWriter<T>`](crate::param::MessageWriter) | writes messages, in the order of the entities |
/// | [`MessageReader<T>`](crate::param::MessageReader) | the messages that the system has not seen, the same for all entities |
/// | [`Commands`] | records commands, in the order of the entities |
/// | a `Query` of `schedule-hecs`, a [`ColumnRef`](crate::columns::ColumnRef) | components of other entities, to read |
/// | tuples | up to twelve parameters |
///
/// A resource is not in this list. It has the attribute `#[resource]`, and is `&R` or `Option<&R>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a `for_each` system",
    label = "not a parameter of a `for_each` system",
    note = "take a component `C` as `&C`, `&mut C`, `Option<&C>` or `Option<&mut C>`, and a resource `R` as `#[resource] name: &R` or `#[resource] name: Option<&R>`",
    note = "for all other data, write a system with a query and a loop"
)]
pub trait EachParam<S: EntityTables> {
    /// Fetches the parameter.
    type State: EachFetch<S>;

    /// The state as a value, because generated code cannot name its type.
    #[doc(hidden)]
    const EACH: Self::State;
}

/// How a parameter of a `for_each` system gets its value for an entity.
///
/// A run fetches [`Source`](Self::Source), and looks up the [`Columns`](Self::Columns) of each table. Threads share both. The run
/// divides the rows of each table into blocks of a fixed length, and each block has its own [`Block`](Self::Block), to which only one
/// thread writes. After all blocks have run, [`end_block`](Self::end_block) takes them in order. So the result does not
/// depend on the threads.
///
/// If the order of values in a record does not matter, the record can be an accumulator. Each thread has accumulators, and swaps them
/// for those of the block that it runs. They are joined after all blocks have run.
///
/// # Safety
///
/// Of components of entities, `item` accesses only those in [`Terms`](Self::Terms), of the entity in the given row, and as the terms
/// declare it. It accesses other components only if [`Source`](Self::Source) declares that it reads them.
pub unsafe trait EachFetch<S: EntityTables>: 'static {
    /// The components of the entity that the parameter accesses.
    type Terms: ComponentTerms<S>;

    /// A parameter that is fetched once for all entities, or `()`. It must not write.
    type Source: Param;

    /// The part of the source that all threads share.
    type Shared<'s>: Copy + Send + Sync;

    /// The addresses of the columns of a table.
    type Columns: ColumnAddresses;

    /// The records of a block. They are kept and ended only if [`HAS_RECORDS`](Self::HAS_RECORDS).
    ///
    /// Its `Drop` must not panic while the thread unwinds.
    type Block: Send + 'static;

    /// The value of the parameter for an entity.
    type Item<'q>;

    /// Whether each block needs its own records. If not, the records of one can also be those of all consecutive blocks that a
    /// thread runs, because the result is the same.
    const IS_PER_BLOCK: bool = false;

    /// Whether records are kept until all blocks have run. Not if all of them are accumulators.
    const HAS_RECORDS: bool = Self::IS_PER_BLOCK || size_of::<Self::Block>() > 0;

    /// Whether some of the records are accumulators.
    const HAS_ACCUMULATORS: bool = false;

    /// The access of a parameter that other systems can take, but not `for_each` systems.
    #[doc(hidden)]
    const REFUSED: Option<Access> = None;

    /// Whether the table has all required columns.
    fn matches(table: S::Table<'_>) -> bool;

    /// Looks up the columns of a table that matches and has rows.
    fn columns(table: S::Table<'_>) -> Self::Columns;

    /// Returns the part of the source that all threads share.
    fn share<'s>(source: &'s mut Part<'_, Self::Source>) -> Self::Shared<'s>;

    /// Returns the records of a block before its first row.
    fn begin_block(shared: Self::Shared<'_>) -> Self::Block;

    /// Returns the value for the entity in a row.
    ///
    /// # Safety
    ///
    /// - The table belongs to a store that is borrowed for `'s`, and has this row. The columns are those of the table, and no row
    ///   of the store was added, removed or moved since the lookup.
    /// - During `'q`, nothing else uses the components in `Terms` of this entity in a way that conflicts.
    /// - The source does not write.
    unsafe fn item<'q, 's: 'q>(
        table: S::Table<'s>,
        columns: Self::Columns,
        shared: Self::Shared<'s>,
        block: &'q mut Self::Block,
        row: usize,
    ) -> Self::Item<'q>;

    /// Whether the parameter writes a watched component.
    #[doc(hidden)]
    #[inline]
    fn is_marked(columns: Self::Columns) -> bool {
        let _ = columns;
        false
    }

    /// Notes that a run of the system begins to write components that are watched.
    ///
    /// # Safety
    ///
    /// The columns are those of a table of a store that is borrowed, whose version has not changed since the lookup.
    #[doc(hidden)]
    #[inline]
    unsafe fn begin_writes(columns: &mut Self::Columns) {
        let _ = columns;
    }

    /// Marks rows for which the function will run.
    ///
    /// # Safety
    ///
    /// As for [`begin_writes`](Self::begin_writes). The table has these rows, and no other call marks one of them at the same time.
    #[doc(hidden)]
    #[inline]
    unsafe fn mark_rows(columns: Self::Columns, rows: Range<usize>) {
        let _ = (columns, rows);
    }

    /// Takes the records of a block, after all blocks have run. It is called in the order of the blocks, and only if the system
    /// has not failed for any entity.
    ///
    /// It leaves records as [`begin_block`](Self::begin_block) returns them. The next run reuses their memory.
    fn end_block(source: &mut Part<'_, Self::Source>, block: &mut Self::Block);

    /// Swaps the accumulators in the records of a block for those of a thread.
    #[inline(always)]
    fn swap_accumulators(block: &mut Self::Block, of_thread: &mut Self::Block) {
        let _ = (block, of_thread);
    }

    /// Joins the accumulators of another thread into those of a thread, and leaves empty ones.
    #[inline(always)]
    fn join_accumulators(of_thread: &mut Self::Block, other: &mut Self::Block) {
        let _ = (of_thread, other);
    }

    /// Takes the joined accumulators of all threads, and leaves empty ones. It is called after the last call of
    /// [`end_block`](Self::end_block), under the same condition.
    #[inline(always)]
    fn end_accumulators(source: &mut Part<'_, Self::Source>, joined: &mut Self::Block) {
        let _ = (source, joined);
    }
}

/// The state of a parameter `P` of a `for_each` system.
pub struct Each<P>(PhantomData<fn() -> P>);

impl<P> Each<P> {
    /// The only value.
    pub const NEW: Self = Self(PhantomData);
}

impl<P> fmt::Debug for Each<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Each")
    }
}

/// Implements the parts of [`EachFetch`] for a parameter without a source.
macro_rules! without_source {
    () => {
        type Source = ();
        type Shared<'s> = ();

        #[inline]
        fn share<'s>((): &'s mut ()) -> Self::Shared<'s> {}
    };
}

/// Implements the parts of [`EachFetch`] for a parameter that records nothing.
macro_rules! without_records {
    () => {
        type Block = ();

        #[inline]
        fn begin_block(_: Self::Shared<'_>) {}

        fn end_block(_: &mut Part<'_, Self::Source>, (): &mut ()) {}
    };
}

/// Implements the parts of [`EachFetch`] for a parameter without columns.
macro_rules! without_columns {
    () => {
        type Terms = ();
        type Columns = ();

        fn matches(_: S::Table<'_>) -> bool {
            true
        }

        #[inline]
        fn columns(_: S::Table<'_>) {}
    };
}

pub(super) use {without_records, without_source};

/// The state of the entity type of a store, for its implementation of [`EachParam`].
#[derive(Debug)]
pub struct EachEntity;

// SAFETY: the item is a copy of the id.
unsafe impl<S: EntityTables> EachFetch<S> for EachEntity {
    type Item<'q> = S::Entity;

    without_source!();
    without_records!();
    without_columns!();

    #[inline(always)]
    unsafe fn item<'q, 's: 'q>(
        table: S::Table<'s>,
        (): (),
        (): (),
        (): &'q mut (),
        row: usize,
    ) -> S::Entity {
        // SAFETY: the caller guarantees that the table has this row.
        unsafe { S::entity_unchecked(table, row) }
    }
}

impl<S: EntityTables> EachParam<S> for Row {
    type State = Each<Row>;
    const EACH: Self::State = Each::NEW;
}

// SAFETY: the item is a number.
unsafe impl<S: EntityTables> EachFetch<S> for Each<Row> {
    type Item<'q> = Row;

    without_source!();
    without_records!();
    without_columns!();

    #[inline(always)]
    unsafe fn item<'q, 's: 'q>(_: S::Table<'s>, (): (), (): (), (): &'q mut (), row: usize) -> Row {
        Row(row)
    }
}

impl<S: EntityTables, D: Declares> EachParam<S> for Commands<'_, D> {
    type State = Each<Commands<'static, D>>;
    const EACH: Self::State = Each::NEW;
}

// SAFETY: the item only records commands.
unsafe impl<S: EntityTables, D: Declares> EachFetch<S> for Each<Commands<'static, D>> {
    type Source = Commands<'static, D>;
    type Shared<'s> = ();
    type Block = CommandQueue;
    type Item<'q> = Commands<'q, D>;

    without_columns!();

    #[inline]
    fn share<'s>(_: &'s mut Commands<'_, D>) -> Self::Shared<'s> {}

    #[inline]
    fn begin_block((): ()) -> CommandQueue {
        CommandQueue::new()
    }

    #[inline(always)]
    unsafe fn item<'q, 's: 'q>(
        _: S::Table<'s>,
        (): (),
        (): (),
        queue: &'q mut CommandQueue,
        _: usize,
    ) -> Commands<'q, D> {
        queue.commands()
    }

    fn end_block(commands: &mut Commands<'_, D>, queue: &mut CommandQueue) {
        commands.append_block(queue);
    }
}

impl<S: EntityTables, R: Foldable> EachParam<S> for Fold<'_, R, R::Partial> {
    type State = Each<Fold<'static, R, R::Partial>>;
    const EACH: Self::State = Each::NEW;
}

// SAFETY: the item is in the records of the block.
unsafe impl<S: EntityTables, R: Foldable> EachFetch<S> for Each<Fold<'static, R, R::Partial>> {
    type Source = BlockFolds<'static, R, R::Partial>;
    type Shared<'s> = ();
    type Block = UserValue<R::Partial>;
    type Item<'q> = Fold<'q, R, R::Partial>;

    /// So that sums do not depend on how threads share the blocks.
    const IS_PER_BLOCK: bool = !R::ACCUMULATORS.is_per_thread();
    const HAS_RECORDS: bool = !R::ACCUMULATORS.is_per_thread();
    const HAS_ACCUMULATORS: bool = R::ACCUMULATORS.is_per_thread();

    without_columns!();

    #[inline]
    fn share<'s>(_: &'s mut BlockFolds<'_, R, R::Partial>) -> Self::Shared<'s> {}

    #[inline]
    fn begin_block((): ()) -> UserValue<R::Partial> {
        UserValue::new(R::Partial::default())
    }

    #[inline(always)]
    unsafe fn item<'q, 's: 'q>(
        _: S::Table<'s>,
        (): (),
        (): (),
        partial: &'q mut UserValue<R::Partial>,
        _: usize,
    ) -> Fold<'q, R, R::Partial> {
        Fold::new(&mut **partial)
    }

    fn end_block(folds: &mut BlockFolds<'_, R, R::Partial>, partial: &mut UserValue<R::Partial>) {
        if !R::ACCUMULATORS.is_per_thread() {
            folds.push(replace(partial, UserValue::new(R::Partial::default())));
        }
    }

    #[inline(always)]
    fn swap_accumulators(
        partial: &mut UserValue<R::Partial>,
        of_thread: &mut UserValue<R::Partial>,
    ) {
        if R::ACCUMULATORS.is_per_thread() {
            swap(partial, of_thread);
        }
    }

    #[inline]
    fn join_accumulators(of_thread: &mut UserValue<R::Partial>, other: &mut UserValue<R::Partial>) {
        if let Some(absorb) = R::ACCUMULATORS.absorb() {
            absorb(of_thread, other);
        }
    }

    #[inline]
    fn end_accumulators(
        folds: &mut BlockFolds<'_, R, R::Partial>,
        joined: &mut UserValue<R::Partial>,
    ) {
        if R::ACCUMULATORS.is_per_thread() {
            folds.push(replace(joined, UserValue::new(R::Partial::default())));
        }
    }
}

macro_rules! tuples {
    ($($param:ident $index:tt),*) => {
        impl<S: EntityTables, $($param: EachParam<S>),*> EachParam<S> for ($($param,)*) {
            type State = ($($param::State,)*);
            const EACH: Self::State = ($($param::EACH,)*);
        }

        // SAFETY: each element accesses only what its own terms and source declare. The terms of the tuple are all of these, and so
        // is its source.
        #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple has no elements")]
        unsafe impl<S: EntityTables, $($param: EachFetch<S>),*> EachFetch<S> for ($($param,)*) {
            type Terms = ($($param::Terms,)*);
            type Source = ($($param::Source,)*);
            type Shared<'s> = ($($param::Shared<'s>,)*);
            type Columns = ($($param::Columns,)*);
            type Block = ($($param::Block,)*);
            type Item<'q> = ($($param::Item<'q>,)*);

            const IS_PER_BLOCK: bool = false $(|| $param::IS_PER_BLOCK)*;
            const HAS_RECORDS: bool = false $(|| $param::HAS_RECORDS)*;
            const HAS_ACCUMULATORS: bool = false $(|| $param::HAS_ACCUMULATORS)*;

            fn matches(table: S::Table<'_>) -> bool {
                true $(&& $param::matches(table))*
            }

            #[inline]
            fn columns(table: S::Table<'_>) -> Self::Columns {
                ($($param::columns(table),)*)
            }

            #[inline]
            fn share<'s>(source: &'s mut Part<'_, Self::Source>) -> Self::Shared<'s> {
                ($($param::share(&mut source.$index),)*)
            }

            #[inline]
            fn begin_block(shared: Self::Shared<'_>) -> Self::Block {
                ($($param::begin_block(shared.$index),)*)
            }

            #[inline(always)]
            unsafe fn item<'q, 's: 'q>(
                table: S::Table<'s>,
                columns: Self::Columns,
                shared: Self::Shared<'s>,
                block: &'q mut Self::Block,
                row: usize,
            ) -> Self::Item<'q> {
                ($(
                    // SAFETY: the conditions are the same. No two elements conflict, because the access of a system does not.
                    unsafe { $param::item(table, columns.$index, shared.$index, &mut block.$index, row) },
                )*)
            }

            #[inline]
            fn is_marked(columns: Self::Columns) -> bool {
                false $(|| $param::is_marked(columns.$index))*
            }

            #[inline]
            unsafe fn begin_writes(columns: &mut Self::Columns) {
                $(
                    // SAFETY: the conditions are the same.
                    unsafe { $param::begin_writes(&mut columns.$index) };
                )*
            }

            #[inline]
            unsafe fn mark_rows(columns: Self::Columns, rows: Range<usize>) {
                $(
                    // SAFETY: the conditions are the same.
                    unsafe { $param::mark_rows(columns.$index, rows.clone()) };
                )*
            }

            fn end_block(source: &mut Part<'_, Self::Source>, block: &mut Self::Block) {
                $($param::end_block(&mut source.$index, &mut block.$index);)*
            }

            #[inline(always)]
            fn swap_accumulators(block: &mut Self::Block, of_thread: &mut Self::Block) {
                $($param::swap_accumulators(&mut block.$index, &mut of_thread.$index);)*
            }

            #[inline]
            fn join_accumulators(of_thread: &mut Self::Block, other: &mut Self::Block) {
                $($param::join_accumulators(&mut of_thread.$index, &mut other.$index);)*
            }

            #[inline]
            fn end_accumulators(source: &mut Part<'_, Self::Source>, joined: &mut Self::Block) {
                $($param::end_accumulators(&mut source.$index, &mut joined.$index);)*
            }
        }
    };
}

tuples!();
crate::__for_each_tuple!(tuples);
