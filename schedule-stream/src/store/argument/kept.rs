//! Arguments of atomic handlers: their content is saved before the call, and restored after a failure.
//!
//! Invariant: that of [`found`](super::super::found) and [`argument`](super). An argument of an alias that gets nothing
//! has no address, so each content is saved and restored once.
#![expect(
    unsafe_code,
    reason = "follows the addresses that arguments have found"
)]

use core::ptr::NonNull;

use super::{
    Argument, OfBatchTime, OfPosition, OptionReadRecord, OptionReadResource, OptionWriteRecord,
    OptionWriteResource, ReadRecord, ReadRecordSet, ReadResource, SlotOfRecord, WriteRecord,
    WriteRecordSet, WriteResource,
};
use crate::base::blocks::Place;
use crate::base::footprint::Footprint;
use crate::store::atomic::Copier;
use crate::store::found::Found;
use crate::store::record::Record;
use schedule::internal::drop_caught;

/// An argument whose content can be saved and restored.
pub trait Kept: Argument {
    /// The type that the handler may write; `()` if it writes nothing.
    type Written;
    /// The saved content.
    type Saved;

    /// Copies the content, if the argument writes. The copier is user code and may panic.
    ///
    /// # Safety
    ///
    /// The found place is valid, and no other code writes it during this call.
    #[doc(hidden)]
    unsafe fn save(
        found: Found<Self>,
        footprint: &Footprint,
        copier: Copier<Self::Written>,
    ) -> Self::Saved;

    /// Puts the saved content back. Catches panics of the destructors of the replaced content.
    ///
    /// # Safety
    ///
    /// The found place is valid. If the argument writes, no other code uses it during this call.
    #[doc(hidden)]
    unsafe fn restore(found: Found<Self>, footprint: &Footprint, saved: Self::Saved);

    /// Drops the saved content. Catches panics.
    #[doc(hidden)]
    #[inline(always)]
    fn forget(saved: Self::Saved) {
        drop_saved(saved);
    }
}

/// Drops a value, and catches a panic of its destructor.
#[inline(always)]
fn drop_saved<T>(value: T) {
    if core::mem::needs_drop::<T>() {
        drop_caught(value);
    }
}

macro_rules! kept_for_reading {
    ($([$($generics:tt)*] $ty:ty;)*) => {
        $(impl<$($generics)*> Kept for $ty {
            type Written = ();
            type Saved = ();

            #[inline(always)]
            unsafe fn save(_: Found<Self>, _: &Footprint, _: Copier<()>) {}

            #[inline(always)]
            unsafe fn restore(_: Found<Self>, _: &Footprint, (): ()) {}
        })*
    };
}

kept_for_reading!(
    [] OfPosition;
    [] OfBatchTime;
    [T: Record] ReadRecord<T>;
    [T: Record] OptionReadRecord<T>;
    [T: Record] ReadRecordSet<T>;
    [R: 'static] ReadResource<R>;
    [R: 'static] OptionReadResource<R>;
);

/// Copies the record at this address, if it exists.
///
/// # Safety
///
/// The address is that of a `Place<T>`. It is valid, and no other code writes it during this call.
#[inline(always)]
unsafe fn save_place<T>(address: Option<NonNull<()>>, copier: Copier<T>) -> Option<T> {
    let place = address?.cast::<Place<T>>();
    // SAFETY: the address is that of a valid `Place<T>`, and nothing writes it: the contract of this function.
    let record = unsafe { Place::get(place) };
    record.as_ref().map(|record| copier.copy(record))
}

/// Puts a record back, or removes it.
///
/// # Safety
///
/// The address is that of a `Place<T>`. It is valid, and no other code uses it during this call.
#[inline(always)]
unsafe fn restore_place<T>(address: Option<NonNull<()>>, saved: Option<T>) {
    let Some(address) = address else { return };
    // SAFETY: the address is that of a valid `Place<T>`, and nothing else uses it: the contract of this function.
    let record = unsafe { Place::get_mut(address.cast::<Place<T>>()) };
    drop_saved(core::mem::replace(record, saved));
}

macro_rules! kept_record {
    ($($ty:ident)*) => {
        $(impl<T: Record> Kept for $ty<T> {
            type Written = T;
            type Saved = Option<T>;

            #[inline(always)]
            unsafe fn save(found: Found<Self>, _: &Footprint, copier: Copier<T>) -> Option<T> {
                // SAFETY: the argument has found the place of a `T`, and nothing writes it: the contract of `save`.
                unsafe { save_place(found.address, copier) }
            }

            #[inline(always)]
            unsafe fn restore(found: Found<Self>, _: &Footprint, saved: Option<T>) {
                // SAFETY: the argument has found the place of a `T`, and nothing else uses it: the contract of
                // `restore`.
                unsafe { restore_place(found.address, saved) };
            }
        })*
    };
}

// A default that `&mut T` inserts is removed again: its place was vacant before.
kept_record!(WriteRecord OptionWriteRecord SlotOfRecord);

impl<T: Record> Kept for WriteRecordSet<T> {
    type Written = T;
    /// In the order of the members.
    type Saved = Vec<Option<T>>;

    unsafe fn save(found: Found<Self>, footprint: &Footprint, copier: Copier<T>) -> Vec<Option<T>> {
        let members = found.members(footprint).iter();
        // SAFETY: the members are places of `T`, and nothing writes them: the contract of `save`.
        members
            .map(|one| unsafe { save_place(one.address, copier) })
            .collect()
    }

    unsafe fn restore(found: Found<Self>, footprint: &Footprint, saved: Vec<Option<T>>) {
        for (one, saved) in found.members(footprint).iter().zip(saved) {
            // SAFETY: the members are distinct places of `T`, and nothing else uses them: the contract of `restore`.
            unsafe { restore_place(one.address, saved) };
        }
    }

    fn forget(saved: Vec<Option<T>>) {
        if core::mem::needs_drop::<T>() {
            saved.into_iter().for_each(drop_saved);
        }
    }
}

macro_rules! kept_resource {
    ($($ty:ident)*) => {
        $(impl<R: 'static> Kept for $ty<R> {
            type Written = R;
            type Saved = Option<R>;

            #[inline(always)]
            unsafe fn save(found: Found<Self>, _: &Footprint, copier: Copier<R>) -> Option<R> {
                let resource = found.address?.cast::<R>();
                // SAFETY: the argument has found an `R`, and nothing writes it: the contract of `save`.
                Some(copier.copy(unsafe { resource.as_ref() }))
            }

            #[inline(always)]
            unsafe fn restore(found: Found<Self>, _: &Footprint, saved: Option<R>) {
                if let Some((resource, saved)) = found.address.zip(saved) {
                    // SAFETY: the argument has found an `R`, and nothing else uses it: the contract of `restore`.
                    let resource = unsafe { resource.cast::<R>().as_mut() };
                    drop_saved(core::mem::replace(resource, saved));
                }
            }
        })*
    };
}

kept_resource!(WriteResource OptionWriteResource);
