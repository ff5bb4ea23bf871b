//! One record as a parameter.
//!
//! Invariant: that of [`found`](super::super::found) and [`argument`](super).
#![expect(
    unsafe_code,
    reason = "turns found addresses into the references of a signature"
)]

use core::any::TypeId;
use core::marker::PhantomData;
use core::ptr::NonNull;

use super::{Argument, ArgumentsOf, Asks, Keyed, Store};
use crate::base::blocks::Place;
use crate::base::footprint::{Footprint, Use};
use crate::base::position::EventInfo;
use crate::base::slot::Slot;
use crate::store::event_keys::EventKeys;
use crate::store::found::{Found, Missing};
use crate::store::record::Record;
use crate::store::records::{Absent, Records};

/// # Safety
///
/// `store` is the address of `Records<T>`, and no thread writes to it for `'s`.
#[inline(always)]
pub(super) unsafe fn records<'s, T: Record>(store: Store) -> Option<&'s Records<T>> {
    // SAFETY: `store` is the address of `Records<T>`, which nothing writes for `'s`: the contract of this function.
    store.map(|store| unsafe { store.cast().as_ref() })
}

/// # Safety
///
/// `store` is the address of `Records<T>`, only this thread uses it for `'s`, and earlier borrows of it are no longer
/// used.
#[inline(always)]
unsafe fn records_mut<'s, T: Record>(store: Store) -> Option<&'s mut Records<T>> {
    // SAFETY: `store` is the address of `Records<T>`, which only this thread uses for `'s`: the contract of this
    // function.
    store.map(|store| unsafe { store.cast().as_mut() })
}

/// The items of [`Argument`] that are equal for all arguments of records.
macro_rules! of_record {
    ($use:ident) => {
        type Key = T::Key;
        const USE: Use = Use::$use;
        const RECORD: Option<TypeId> = Some(TypeId::of::<T>());

        #[inline(always)]
        unsafe fn prefetch_key(store: Store, key: &T::Key) {
            // SAFETY: `store` holds `Records<T>`, and nothing writes to it during this call: the contract of
            // `prefetch_key`.
            if let Some(records) = unsafe { records::<T>(store) } {
                records.prefetch(key);
            }
        }

        unsafe fn note_key(store: Store, key: &T::Key, nth: u16, keys: &mut EventKeys) {
            // SAFETY: `store` holds `Records<T>`, and nothing writes to it during this call: the contract of
            // `note_key`.
            if let Some(records) = unsafe { records::<T>(store) } {
                keys.add::<T>(key, records.number(key), nth, Self::USE);
            }
        }
    };
}

pub(super) use of_record;

/// Returns the record at this address, if it exists.
///
/// # Safety
///
/// As for [`Argument::give`] of an argument that reads such a record.
#[inline(always)]
unsafe fn value<'h, T: Record>(address: Option<NonNull<()>>) -> Option<&'h T> {
    let place = address?.cast::<Place<T>>();
    // SAFETY: the address is that of a `Place<T>`, and no other event writes it for `'h`: the contract of this
    // function.
    unsafe { Place::get(place) }.as_ref()
}

/// Returns the content of the place at this address, mutably.
///
/// # Safety
///
/// As for [`Argument::give`] of an argument that writes such a record.
#[inline(always)]
unsafe fn value_mut<'h, T: Record>(address: Option<NonNull<()>>) -> Option<&'h mut Option<T>> {
    let place = address?.cast::<Place<T>>();
    // SAFETY: the address is that of a `Place<T>`, and no other event uses it for `'h`: the contract of this function.
    Some(unsafe { Place::get_mut(place) })
}

/// Returns the address of the default of the store, if it has one.
///
/// # Safety
///
/// As for [`Argument::companion`] of an argument of such a record.
#[inline(always)]
unsafe fn companion<T: Record, A>(found: Found<A>) -> Option<NonNull<()>> {
    // SAFETY: a store in `found` holds `Records<T>`: the invariant of `found`. No thread writes to it: the contract of
    // this function.
    match unsafe { records::<T>(found.store) } {
        Some(store) => store.absent().map(NonNull::cast),
        None => found.companion,
    }
}

/// Returns the default of the store, or an error if it has none.
///
/// # Safety
///
/// As for [`Argument::give`] of an argument of such a record.
#[cold]
unsafe fn absent<'h, T: Record, A>(found: Found<A>) -> Result<&'h Absent<T>, Missing> {
    // SAFETY: a store in `found` is that of this argument, and nothing writes to it: the contract of `companion`.
    let address = unsafe { companion::<T, _>(found) }.ok_or(found.missing())?;
    // SAFETY: this is the default of a store. It lives as long as the store, and is not written while events run.
    Ok(unsafe { address.cast().as_ref() })
}

/// Returns the error for an argument that may insert a record but has no place. The only reason is an id above the
/// maximum: every other key gets a place.
#[cold]
fn no_place<A>(found: Found<A>) -> Missing {
    Missing::too_large(found.argument)
}

/// Fails if an argument that may insert a record has no place.
fn check_place<A>(found: Found<A>) -> Result<(), Missing> {
    match found.address {
        Some(_) => Ok(()),
        None => Err(no_place(found)),
    }
}

/// Returns the record, or else the default of the store.
///
/// # Safety
///
/// As for [`Argument::give`] of an argument that reads such a record.
#[inline(always)]
unsafe fn read<'h, T: Record, A>(found: Found<A>) -> Result<&'h T, Missing> {
    // SAFETY: `found` holds a place of a `T` that no other event writes for `'h`: the contract of this function.
    match unsafe { value::<T>(found.address) } {
        Some(value) => Ok(value),
        // SAFETY: a store in `found` is valid, and its default is not written while events run: the contract of this
        // function.
        None => Ok(&unsafe { absent::<T, _>(found) }?.one),
    }
}

/// The argument of `&T`, a record.
#[derive(Debug)]
pub struct ReadRecord<T>(PhantomData<fn() -> T>);

impl<T: Record> Argument for ReadRecord<T> {
    type Item<'h> = &'h T;
    of_record!(Read);

    #[inline(always)]
    unsafe fn find_key(store: Store, key: &T::Key, nth: u16) -> Result<Found<Self>, Missing> {
        // SAFETY: `store` holds `Records<T>`, and nothing writes to it during this call: the contract of `find_key`.
        let records = unsafe { records::<T>(store) }.ok_or(Missing::new(nth))?;
        let place = records.find(key);
        if place.is_none() && records.absent().is_none() {
            return Err(Missing::new(nth));
        }
        Ok(Found::new(place.map(NonNull::cast), nth).of(store))
    }

    #[inline(always)]
    unsafe fn companion(found: Found<Self>) -> Option<NonNull<()>> {
        // SAFETY: a store in `found` is that of this argument, and nothing writes to it: the contract of `companion`.
        unsafe { companion::<T, _>(found) }
    }

    unsafe fn look(found: Found<Self>) -> Result<(), Missing> {
        // SAFETY: the same contract: `found` holds a place of a `T` that no other event writes.
        unsafe { read::<T, _>(found) }.map(drop)
    }

    #[inline(always)]
    unsafe fn give<'h>(
        found: Found<Self>,
        _: &'h Footprint,
        _: &EventInfo,
    ) -> Result<&'h T, Missing> {
        // SAFETY: the same contract: `found` holds a place of a `T` that no other event writes for `'h`.
        unsafe { read::<T, _>(found) }
    }
}

impl<T: Record> Keyed for &T {
    type Argument = <T::Index as ArgumentsOf<T>>::ReadOne;
    const ASKS: Asks<Self::Argument> = Asks::records::<T>(false);
}

/// The argument of `Option<&T>`, a record.
#[derive(Debug)]
pub struct OptionReadRecord<T>(PhantomData<fn() -> T>);

impl<T: Record> Argument for OptionReadRecord<T> {
    type Item<'h> = Option<&'h T>;
    of_record!(Read);

    #[inline(always)]
    unsafe fn find_key(store: Store, key: &T::Key, nth: u16) -> Result<Found<Self>, Missing> {
        // SAFETY: `store` holds `Records<T>`, and nothing writes to it during this call: the contract of `find_key`.
        let place = unsafe { records::<T>(store) }.and_then(|store| store.find(key));
        Ok(Found::new(place.map(NonNull::cast), nth))
    }

    #[inline(always)]
    unsafe fn give<'h>(
        found: Found<Self>,
        _: &'h Footprint,
        _: &EventInfo,
    ) -> Result<Option<&'h T>, Missing> {
        // SAFETY: `found` holds a place of a `T` that no other event writes for `'h`: the contract of `give` and
        // `look`.
        Ok(unsafe { value::<T>(found.address) })
    }
}

impl<T: Record> Keyed for Option<&T> {
    type Argument = <T::Index as ArgumentsOf<T>>::ReadOptional;
    const ASKS: Asks<Self::Argument> = Asks::records::<T>(false).optional();
}

/// The argument of `&mut T`, a record.
#[derive(Debug)]
pub struct WriteRecord<T>(PhantomData<fn() -> T>);

impl<T: Record> Argument for WriteRecord<T> {
    type Item<'h> = &'h mut T;
    of_record!(Write);

    #[inline(always)]
    unsafe fn find_key(store: Store, key: &T::Key, nth: u16) -> Result<Found<Self>, Missing> {
        // SAFETY: `store` holds `Records<T>`, and nothing writes to it during this call: the contract of `find_key`.
        let records = unsafe { records::<T>(store) }.ok_or(Missing::new(nth))?;
        if records.absent().is_none() {
            let place = records.find(key).ok_or(Missing::new(nth))?;
            return Ok(Found::new(Some(place.cast()), nth).of(store));
        }
        // SAFETY: this argument writes, so only this thread uses the store: the contract of `find_key`.
        let records = unsafe { records_mut::<T>(store) }.ok_or(Missing::new(nth))?;
        let Some(place) = records.find_or_default(key) else {
            return Ok(Found::new(None, nth).of(store));
        };
        Ok(Found::new(Some(place.cast()), nth).of(store).tentative())
    }

    #[inline(always)]
    unsafe fn companion(found: Found<Self>) -> Option<NonNull<()>> {
        // SAFETY: a store in `found` is that of this argument, and nothing writes to it: the contract of `companion`.
        unsafe { companion::<T, _>(found) }
    }

    unsafe fn look(found: Found<Self>) -> Result<(), Missing> {
        // SAFETY: the same contract: `found` holds a place of a `T` that no other event writes.
        unsafe { read::<T, _>(found) }?;
        // The store has a default, but perhaps no place for the record.
        check_place(found)
    }

    #[inline(always)]
    unsafe fn give<'h>(
        found: Found<Self>,
        _: &'h Footprint,
        _: &EventInfo,
    ) -> Result<&'h mut T, Missing> {
        // SAFETY: `found` holds a place of a `T` that no other event uses for `'h`: the contract of `give`.
        match unsafe { value_mut::<T>(found.address) } {
            Some(Some(value)) => Ok(value),
            None => {
                // SAFETY: a store in `found` is valid, and its default is not written while events run: the contract of
                // `give` and `look`.
                unsafe { absent::<T, _>(found) }?;
                // The store has a default, but no place for the record.
                Err(no_place(found))
            }
            Some(nothing) => {
                // SAFETY: a store in `found` is valid, and its default is not written while events run: the contract
                // of `give` and `look`.
                let absent = unsafe { absent::<T, _>(found) }?;
                Ok(nothing.insert((absent.new)()))
            }
        }
    }
}

impl<T: Record> Keyed for &mut T {
    type Argument = <T::Index as ArgumentsOf<T>>::WriteOne;
    const ASKS: Asks<Self::Argument> = Asks::records::<T>(true);
}

/// The argument of `Option<&mut T>`, a record.
#[derive(Debug)]
pub struct OptionWriteRecord<T>(PhantomData<fn() -> T>);

impl<T: Record> Argument for OptionWriteRecord<T> {
    type Item<'h> = Option<&'h mut T>;
    of_record!(Write);

    #[inline(always)]
    unsafe fn find_key(store: Store, key: &T::Key, nth: u16) -> Result<Found<Self>, Missing> {
        // SAFETY: `store` holds `Records<T>`, and nothing writes to it during this call: the contract of `find_key`.
        let place = unsafe { records::<T>(store) }.and_then(|store| store.find(key));
        Ok(Found::new(place.map(NonNull::cast), nth))
    }

    #[inline(always)]
    unsafe fn give<'h>(
        found: Found<Self>,
        _: &'h Footprint,
        _: &EventInfo,
    ) -> Result<Option<&'h mut T>, Missing> {
        // SAFETY: `found` holds a place of a `T` that no other event uses for `'h`: the contract of `give`.
        let value = unsafe { value_mut::<T>(found.address) };
        Ok(value.and_then(Option::as_mut))
    }
}

impl<T: Record> Keyed for Option<&mut T> {
    type Argument = <T::Index as ArgumentsOf<T>>::WriteOptional;
    const ASKS: Asks<Self::Argument> = Asks::records::<T>(true).optional();
}

/// The argument of [`Slot<T>`](Slot).
#[derive(Debug)]
pub struct SlotOfRecord<T>(PhantomData<fn() -> T>);

impl<T: Record> Argument for SlotOfRecord<T> {
    type Item<'h> = Slot<'h, T>;
    of_record!(Write);

    #[inline(always)]
    unsafe fn find_key(store: Store, key: &T::Key, nth: u16) -> Result<Found<Self>, Missing> {
        // SAFETY: this argument writes, so only this thread uses the store: the contract of `find_key`.
        let store = unsafe { records_mut::<T>(store) }.ok_or(Missing::new(nth))?;
        let Some(place) = store.find_slot(key) else {
            return Ok(Found::new(None, nth));
        };
        Ok(Found::new(Some(place.cast()), nth).tentative())
    }

    unsafe fn look(found: Found<Self>) -> Result<(), Missing> {
        check_place(found)
    }

    #[inline(always)]
    unsafe fn give<'h>(
        found: Found<Self>,
        _: &'h Footprint,
        _: &EventInfo,
    ) -> Result<Slot<'h, T>, Missing> {
        // SAFETY: `found` holds a place of a `T` that no other event uses for `'h`: the contract of `give`.
        match unsafe { value_mut::<T>(found.address) } {
            Some(value) => Ok(Slot::new(value)),
            None => Err(no_place(found)),
        }
    }
}

impl<T: Record> Keyed for Slot<'_, T> {
    type Argument = <T::Index as ArgumentsOf<T>>::WriteSlot;
    const ASKS: Asks<Self::Argument> = Asks::records::<T>(true);
}
