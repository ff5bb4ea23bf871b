//! The parameter types of handlers, and how a parameter is obtained from the footprint of an event.
//!
//! A parameter that is neither a resource nor a record should cause only one compiler error. So arguments that are
//! resources have no bounds, and record arguments are selected through the index type, which resources do not have.
//!
//! Invariant: that of [`found`](super::found). [`Argument::give`] follows only addresses that an [`Argument`] of the
//! same type has found. It returns no more access than [`Argument::USE`] declares.
#![expect(
    unsafe_code,
    reason = "declares when found addresses may become references"
)]

mod info;
mod kept;
mod record;
mod record_set;
mod resource;

use core::any::TypeId;
use core::marker::PhantomData;
use core::ptr::NonNull;

pub use self::info::{OfBatchTime, OfPosition};
pub use self::kept::Kept;
pub use self::record::{
    OptionReadRecord, OptionWriteRecord, ReadRecord, SlotOfRecord, WriteRecord,
};
pub use self::record_set::{ReadRecordSet, WriteRecordSet};
pub use self::resource::{OptionReadResource, OptionWriteResource, ReadResource, WriteResource};

use crate::base::footprint::{Footprint, Use};
use crate::base::position::EventInfo;
use crate::store::event_keys::EventKeys;
use crate::store::found::{Found, Missing};
use crate::store::record::Record;
use crate::store::stores::{Store, Want};
use schedule::Resource;
use schedule::access::Access;
use schedule::identity::Name;

/// A parameter of a handler without a key: `&R`, `&mut R`, `Option<&R>` or `Option<&mut R>` of a resource,
/// [`Position`](crate::Position) or [`BatchTime`](crate::BatchTime).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parameter of a handler",
    label = "not a parameter",
    note = "for a record, add `#[key(…)]` with the key that the event names; for a set of records, add `#[keys(…)]`",
    note = "for a resource `R`, which needs `#[derive(Resource)]`, use `&R`, `&mut R`, `Option<&R>` or `Option<&mut R>`"
)]
pub trait Unkeyed {
    /// The argument type of this parameter.
    type Argument: Argument<Key = NoKey>;

    /// The access of this parameter.
    const ASKS: Asks<Self::Argument>;
}

/// A parameter of a handler with `#[key(…)]`: `&T`, `&mut T`, `Option<&T>`, `Option<&mut T>` or
/// [`Slot<T>`](crate::Slot) of a [`Record`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parameter with a key",
    label = "not a record",
    note = "for a record `T`, use `&T`, `&mut T`, `Option<&T>`, `Option<&mut T>` or `Slot<T>`",
    note = "for `RecordSet<T>` and `RecordSetMut<T>`, write `#[keys(…)]` with all keys"
)]
pub trait Keyed {
    /// The argument type of this parameter.
    type Argument: Argument;

    /// The access of this parameter.
    const ASKS: Asks<Self::Argument>;
}

/// A parameter of a handler with `#[keys(…)]`: [`RecordSet<T>`](crate::RecordSet) or
/// [`RecordSetMut<T>`](crate::RecordSetMut) of a [`Record`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parameter with several keys",
    label = "not a set of records",
    note = "for several records `T`, use `RecordSet<T>` or `RecordSetMut<T>`"
)]
pub trait KeyedSet {
    /// The argument type of this parameter.
    type Argument: Argument;

    /// The access of this parameter.
    const ASKS: Asks<Self::Argument>;
}

/// The access of a parameter, and the type of its argument.
#[derive(Debug)]
pub struct Asks<A> {
    pub(crate) access: Access,
    /// The name of the record or resource type.
    pub(crate) of: Name,
    pub(crate) is_optional: bool,
    /// The maximum id of a record: see [`Record::MAX_ID`].
    pub(crate) max_id: u32,
    /// `None` for a parameter that describes the event.
    pub(crate) want: Option<Want>,
    argument: PhantomData<fn() -> A>,
}

impl<A> Clone for Asks<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Asks<A> {}

impl<A> Asks<A> {
    /// Returns the access.
    pub const fn access(&self) -> Access {
        self.access
    }

    /// The access to single records.
    const fn records<T: Record>(is_write: bool) -> Self {
        Self::new(Want::records::<T>(is_write), T::NAME, T::MAX_ID)
    }

    /// The access to a whole resource.
    const fn resource<R: Resource>(is_write: bool) -> Self {
        Self::new(Want::resource::<R>(is_write), R::NAME, u32::MAX)
    }

    /// No access: the parameter describes the event.
    const fn info(of: Name) -> Self {
        Self {
            access: Access::Each(&[]),
            of,
            is_optional: false,
            max_id: u32::MAX,
            want: None,
            argument: PhantomData,
        }
    }

    const fn new(want: Want, of: Name, max_id: u32) -> Self {
        let access = if want.is_write {
            Access::Write(want.resource)
        } else {
            Access::Read(want.resource)
        };
        Self {
            access,
            of,
            is_optional: false,
            max_id,
            want: Some(want),
            argument: PhantomData,
        }
    }

    const fn optional(mut self) -> Self {
        self.is_optional = true;
        if let Some(want) = self.want {
            self.want = Some(want.optional());
        }
        self
    }
}

/// The key type of an argument without a key.
#[derive(Clone, Copy, Debug)]
pub enum NoKey {}

/// A parameter type without its lifetime.
pub trait Argument: Sized + 'static {
    /// The parameter.
    type Item<'h>;
    /// The key of the record, or of each record of a set.
    type Key: 'static;
    /// The access to the record or resource.
    const USE: Use;
    /// Whether the argument is a set, for which an event names several keys.
    const IS_SET: bool = false;
    /// The type of the record, or of each record of a set. `None` for a resource.
    const RECORD: Option<TypeId> = None;

    /// Finds a resource.
    #[doc(hidden)]
    fn find(_: Store, nth: u16) -> Result<Found<Self>, Missing> {
        Err(Missing::new(nth))
    }

    /// Finds the record of this key.
    ///
    /// # Safety
    ///
    /// `store` has the type that the argument asks for, and no thread writes to it during this call. If the argument
    /// writes, no other thread uses it.
    #[doc(hidden)]
    unsafe fn find_key(store: Store, key: &Self::Key, nth: u16) -> Result<Found<Self>, Missing>;

    /// Prefetches the record of this key.
    ///
    /// # Safety
    ///
    /// `store` has the type that the argument asks for, and no thread writes to it during this call.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn prefetch_key(_: Store, _: &Self::Key) {}

    /// Adds this key to `keys`.
    ///
    /// # Safety
    ///
    /// As for [`prefetch_key`](Self::prefetch_key).
    #[doc(hidden)]
    unsafe fn note_key(_: Store, _: &Self::Key, _nth: u16, _: &mut EventKeys) {}

    /// Returns the address that belongs to the found one: see [`Found`]. The members of a set already have their keys.
    ///
    /// # Safety
    ///
    /// If `found` has a store, it is valid, and no thread writes to it during this call.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn companion(found: Found<Self>) -> Option<NonNull<()>> {
        found.companion
    }

    /// Returns whether [`give`](Self::give) will succeed. Has no side effects.
    ///
    /// # Safety
    ///
    /// The found place is valid, and no conflicting event runs. If `found` has a store, the contract of
    /// [`companion`](Self::companion) applies too.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn look(_: Found<Self>) -> Result<(), Missing> {
        Ok(())
    }

    /// Returns the parameter. The members of a set are in `footprint`.
    ///
    /// # Safety
    ///
    /// The found place is valid for `'h`. No other event writes it for `'h`. If this argument writes, no other event
    /// uses it. If `found` has a store, the contract of [`companion`](Self::companion) applies too.
    #[doc(hidden)]
    unsafe fn give<'h>(
        found: Found<Self>,
        footprint: &'h Footprint,
        info: &EventInfo,
    ) -> Result<Self::Item<'h>, Missing>;
}

/// The argument types for records of type `T`. Implemented for all index types.
pub trait ArgumentsOf<T> {
    /// For `&T`.
    type ReadOne;
    /// For `Option<&T>`.
    type ReadOptional;
    /// For `&mut T`.
    type WriteOne;
    /// For `Option<&mut T>`.
    type WriteOptional;
    /// For `Slot<T>`.
    type WriteSlot;
    /// For `RecordSet<T>`.
    type ReadSet;
    /// For `RecordSetMut<T>`.
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
