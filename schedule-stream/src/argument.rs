//! What a handler may take, and how that is got from what its event has named.
//!
//! A type that is no resource and no record breaks one rule, and is told of once: arguments that are resources have no
//! bounds, and those that are records are found by way of the index, which nothing else has.
//!
//! Invariant: that of [`found`](super::found). [`Argument::give`] follows what an [`Argument`] of the same type has found, and
//! gives out no more than it says that it uses.
#![expect(
    unsafe_code,
    reason = "says who may turn what was found into references"
)]

mod record;
mod record_set;
mod resource;

use core::any::TypeId;
use core::marker::PhantomData;
use core::ptr::NonNull;

pub use self::record::{
    OptionReadRecord, OptionWriteRecord, ReadRecord, SlotOfRecord, WriteRecord,
};
pub use self::record_set::{ReadRecordSet, WriteRecordSet};
pub use self::resource::{OptionReadResource, OptionWriteResource, ReadResource, WriteResource};

use super::footprint::{Footprint, Use};
use super::found::{Found, Missing};
use super::names::Names;
use super::record::Record;
use super::stores::{Store, Want};
use schedule::Resource;
use schedule::access::Access;
use schedule::identity::Name;

/// A parameter of a handler that is no reference to a record: `&R`, `&mut R`, `Option<&R>` or `Option<&mut R>` of a
/// resource.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parameter of a handler",
    label = "not a parameter",
    note = "for a record, add `#[key(…)]` with the key that the event names; for a set of records, add `#[keys(…)]`",
    note = "for a resource `R`, which needs `#[derive(Resource)]`, use `&R`, `&mut R`, `Option<&R>` or `Option<&mut R>`"
)]
pub trait Unkeyed {
    /// What a handler keeps of it.
    type Argument: Argument<Key = NoKey>;

    /// What it touches.
    const ASKS: Asks<Self::Argument>;
}

/// A parameter of a handler after `#[key(…)]`: `&T`, `&mut T`, `Option<&T>`, `Option<&mut T>` or [`Slot<T>`](super::Slot) of an
/// [`Record`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parameter with a key",
    label = "not a record",
    note = "for a record `T`, use `&T`, `&mut T`, `Option<&T>`, `Option<&mut T>` or `Slot<T>`"
)]
pub trait Keyed {
    /// What a handler keeps of it.
    type Argument: Argument;

    /// What it touches.
    const ASKS: Asks<Self::Argument>;
}

/// A parameter of a handler after `#[keys(…)]`: [`RecordSet<T>`](super::RecordSet) or [`RecordSetMut<T>`](super::RecordSetMut) of a [`Record`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parameter with several keys",
    label = "not a set of records",
    note = "for several records `T`, use `RecordSet<T>` or `RecordSetMut<T>`"
)]
pub trait KeyedSet {
    /// What a handler keeps of it.
    type Argument: Argument;

    /// What it touches.
    const ASKS: Asks<Self::Argument>;
}

/// What a parameter touches, and the type of its argument.
#[derive(Debug)]
pub struct Asks<A> {
    pub(super) access: Access,
    /// What it is called.
    pub(super) of: Name,
    pub(super) is_optional: bool,
    /// Of a record: see [`Record::MAX_ID`].
    pub(super) max_id: u32,
    pub(super) want: Want,
    argument: PhantomData<fn() -> A>,
}

impl<A> Clone for Asks<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Asks<A> {}

impl<A> Asks<A> {
    /// What it touches.
    pub const fn access(&self) -> Access {
        self.access
    }

    /// Single records.
    const fn records<T: Record>(is_write: bool) -> Self {
        Self::new(Want::records::<T>(is_write), T::NAME, T::MAX_ID)
    }

    /// All of a resource.
    const fn resource<R: Resource>(is_write: bool) -> Self {
        Self::new(Want::resource::<R>(is_write), R::NAME, u32::MAX)
    }

    const fn new(want: Want, of: Name, max_id: u32) -> Self {
        let access = match want.is_write {
            true => Access::Write(want.resource),
            false => Access::Read(want.resource),
        };
        Self {
            access,
            of,
            is_optional: false,
            max_id,
            want,
            argument: PhantomData,
        }
    }

    const fn optional(mut self) -> Self {
        self.is_optional = true;
        self.want = self.want.optional();
        self
    }
}

/// The key of what has none.
#[derive(Clone, Copy, Debug)]
pub enum NoKey {}

/// What a handler takes, without lifetimes.
pub trait Argument: Sized + 'static {
    /// The parameter.
    type Item<'h>;
    /// The key of the record, or of each.
    type Key;
    /// What is done with what is found.
    const USE: Use;
    /// Whether an event may name many.
    const IS_SET: bool = false;
    /// The type of the record, if it is one, or of each.
    const RECORD: Option<TypeId> = None;

    /// Finds what does not depend on the event.
    #[doc(hidden)]
    fn find(_: Store, nth: u16) -> Result<Found<Self>, Missing> {
        Err(Missing::new(nth))
    }

    /// Finds the record of this key.
    ///
    /// # Safety
    ///
    /// `store` is of the type that it asks for, and nobody writes to it; only this thread has it, where records are to be
    /// written.
    #[doc(hidden)]
    unsafe fn find_key(store: Store, key: &Self::Key, nth: u16) -> Result<Found<Self>, Missing>;

    /// Looks for the record of this key, and asks for its memory. Changes nothing.
    ///
    /// # Safety
    ///
    /// `store` is of the type that it asks for, and nobody writes to it.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn prefetch_key(_: Store, _: &Self::Key) {}

    /// Notes that an event has named the record of this key.
    ///
    /// # Safety
    ///
    /// As for [`prefetch_key`](Self::prefetch_key).
    #[doc(hidden)]
    unsafe fn note_key(_: Store, _: &Self::Key, _nth: u16, _: &mut Names) {}

    /// What goes with what was found: see [`Found`]. Sets have the keys of theirs at once.
    ///
    /// # Safety
    ///
    /// If `found` has a store, that is there, and nobody writes to it.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn beside(found: Found<Self>) -> Option<NonNull<()>> {
        found.beside
    }

    /// Whether [`give`](Self::give) will find what it needs. Changes nothing.
    ///
    /// # Safety
    ///
    /// What was found is there, and nothing that conflicts with it runs; if it has a store, as for [`beside`](Self::beside).
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn look(_: Found<Self>) -> Result<(), Missing> {
        Ok(())
    }

    /// The parameter. `footprint` has what was found for an argument that is a set.
    ///
    /// # Safety
    ///
    /// What was found is there for `'h`, and for that long nothing else writes it or, where it is to be written, uses it; if it
    /// has a store, as for [`beside`](Self::beside).
    #[doc(hidden)]
    unsafe fn give<'h>(
        found: Found<Self>,
        footprint: &'h Footprint,
    ) -> Result<Self::Item<'h>, Missing>;
}

/// The arguments that are records of one type. Of all indices.
pub trait ArgumentsOf<T> {
    /// Of `&T`.
    type ReadOne;
    /// Of `Option<&T>`.
    type ReadOptional;
    /// Of `&mut T`.
    type WriteOne;
    /// Of `Option<&mut T>`.
    type WriteOptional;
    /// Of `Slot<T>`.
    type WriteSlot;
    /// Of `RecordSet<T>`.
    type ReadSet;
    /// Of `RecordSetMut<T>`.
    type WriteSet;
}

impl<I, T> ArgumentsOf<T> for I {
    type ReadOne = ReadRecord<T>;
    type ReadOptional = OptionReadRecord<T>;
    type WriteOne = WriteRecord<T>;
    type WriteOptional = OptionWriteRecord<T>;
    type WriteSlot = SlotOfRecord<T>;
    type ReadSet = ReadRecordSet<T>;
    type WriteSet = WriteRecordSet<T>;
}
