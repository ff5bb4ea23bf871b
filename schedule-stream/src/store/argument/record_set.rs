//! A set of records as a parameter.
//!
//! Invariant: that of [`found`](super::super::found) and [`argument`](super).
#![expect(
    unsafe_code,
    reason = "turns found addresses into the references of a signature"
)]

use core::any::TypeId;
use core::marker::PhantomData;
use core::ptr::NonNull;

use super::record::{note_key, prefetch_key, records};
use super::{Argument, ArgumentsOf, Asks, KeyedSet, Store};
use crate::base::footprint::{Footprint, Use};
use crate::base::position::EventInfo;
use crate::store::found::{Found, Missing};
use crate::store::names::Names;
use crate::store::record::Record;
use crate::store::record_set::{RecordSet, RecordSetMut};

/// Finds a member of a set and its key, if the record may exist.
///
/// # Safety
///
/// As for [`Argument::find_key`] of a set of such records.
unsafe fn find_key<T: Record, A>(
    store: Store,
    key: &T::Key,
    nth: u16,
) -> Result<Found<A>, Missing> {
    // SAFETY: `store` holds `Records<T>`, and nothing writes to it during this call: the contract of `find_key`.
    let store = unsafe { records::<T>(store) }.ok_or(Missing::new(nth))?;
    let (place, key) = store.find_with_key(key).unzip();
    Ok(Found::new(place.map(NonNull::cast), nth).with(key.map(NonNull::cast)))
}

/// The argument of [`RecordSet<T>`](RecordSet).
#[derive(Debug)]
pub struct ReadRecordSet<T>(PhantomData<fn() -> T>);

impl<T: Record> Argument for ReadRecordSet<T> {
    type Item<'h> = RecordSet<'h, T>;
    type Key = T::Key;
    const USE: Use = Use::Read;
    const IS_SET: bool = true;
    const RECORD: Option<TypeId> = Some(TypeId::of::<T>());

    unsafe fn prefetch_key(store: Store, key: &T::Key) {
        // SAFETY: the same contract: `store` holds `Records<T>`, and nothing writes to it.
        unsafe { prefetch_key::<T>(store, key) };
    }

    unsafe fn note_key(store: Store, key: &T::Key, nth: u16, names: &mut Names) {
        // SAFETY: the same contract: `store` holds `Records<T>`, and nothing writes to it.
        unsafe { note_key::<T>(store, key, nth, Self::USE, names) };
    }

    unsafe fn find_key(store: Store, key: &T::Key, nth: u16) -> Result<Found<Self>, Missing> {
        // SAFETY: the same contract: `store` holds `Records<T>`, and nothing writes to it.
        unsafe { find_key::<T, _>(store, key, nth) }
    }

    unsafe fn give<'h>(
        found: Found<Self>,
        footprint: &'h Footprint,
        _: &EventInfo,
    ) -> Result<RecordSet<'h, T>, Missing> {
        // SAFETY: the members are places of `T`, and no other event writes one for `'h`: the contract of `give`.
        Ok(unsafe { RecordSet::new(found.members(footprint)) })
    }
}

impl<T: Record> KeyedSet for RecordSet<'_, T> {
    type Argument = <T::Index as ArgumentsOf<T>>::ReadSet;
    const ASKS: Asks<Self::Argument> = Asks::records::<T>(false).optional();
}

/// The argument of [`RecordSetMut<T>`](RecordSetMut).
#[derive(Debug)]
pub struct WriteRecordSet<T>(PhantomData<fn() -> T>);

impl<T: Record> Argument for WriteRecordSet<T> {
    type Item<'h> = RecordSetMut<'h, T>;
    type Key = T::Key;
    const USE: Use = Use::Write;
    const IS_SET: bool = true;
    const RECORD: Option<TypeId> = Some(TypeId::of::<T>());

    unsafe fn prefetch_key(store: Store, key: &T::Key) {
        // SAFETY: the same contract: `store` holds `Records<T>`, and nothing writes to it.
        unsafe { prefetch_key::<T>(store, key) };
    }

    unsafe fn note_key(store: Store, key: &T::Key, nth: u16, names: &mut Names) {
        // SAFETY: the same contract: `store` holds `Records<T>`, and nothing writes to it.
        unsafe { note_key::<T>(store, key, nth, Self::USE, names) };
    }

    unsafe fn find_key(store: Store, key: &T::Key, nth: u16) -> Result<Found<Self>, Missing> {
        // SAFETY: the same contract: `store` holds `Records<T>`, and nothing writes to it.
        unsafe { find_key::<T, _>(store, key, nth) }
    }

    unsafe fn give<'h>(
        found: Found<Self>,
        footprint: &'h Footprint,
        _: &EventInfo,
    ) -> Result<RecordSetMut<'h, T>, Missing> {
        // SAFETY: the members are distinct places of `T`, and no other event uses one for `'h`: the contract of
        // `give`.
        Ok(unsafe { RecordSetMut::new(found.members(footprint)) })
    }
}

impl<T: Record> KeyedSet for RecordSetMut<'_, T> {
    type Argument = <T::Index as ArgumentsOf<T>>::WriteSet;
    const ASKS: Asks<Self::Argument> = Asks::records::<T>(true).optional();
}
