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

use super::record::{of_record, records};
use super::{Argument, ArgumentsOf, Asks, KeyedSet, Store};
use crate::base::footprint::{Footprint, Use};
use crate::base::position::EventInfo;
use crate::store::event_keys::EventKeys;
use crate::store::found::{Found, Missing};
use crate::store::record::Record;
use crate::store::record_set::{RecordSet, RecordSetMut};

macro_rules! record_set_argument {
    ($(#[$doc:meta])* $name:ident, $use:ident, $set:ident, $of_index:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<T>(PhantomData<fn() -> T>);

        impl<T: Record> Argument for $name<T> {
            type Item<'h> = $set<'h, T>;
            const IS_SET: bool = true;
            of_record!($use);

            unsafe fn find_key(store: Store, key: &T::Key, nth: u16) -> Result<Found<Self>, Missing> {
                // SAFETY: `store` holds `Records<T>`, and nothing writes to it during this call: the contract of
                // `find_key`.
                let store = unsafe { records::<T>(store) }.ok_or(Missing::new(nth))?;
                let (place, key) = store.find_with_key(key).unzip();
                Ok(Found::new(place.map(NonNull::cast), nth).with(key.map(NonNull::cast)))
            }

            unsafe fn give<'h>(
                found: Found<Self>,
                footprint: &'h Footprint,
                _: &EventInfo,
            ) -> Result<$set<'h, T>, Missing> {
                // SAFETY: the members are distinct places of `T`. For `'h`, no other event writes one, and no other
                // event uses one if this argument writes: the contract of `give`.
                Ok(unsafe { $set::new(found.members(footprint)) })
            }
        }

        impl<T: Record> KeyedSet for $set<'_, T> {
            type Argument = <T::Index as ArgumentsOf<T>>::$of_index;
            const ASKS: Asks<Self::Argument> =
                Asks::records::<T>(matches!(Use::$use, Use::Write)).optional();
        }
    };
}

record_set_argument!(
    /// The argument of [`RecordSet<T>`](RecordSet).
    ReadRecordSet, Read, RecordSet, ReadSet
);
record_set_argument!(
    /// The argument of [`RecordSetMut<T>`](RecordSetMut).
    WriteRecordSet, Write, RecordSetMut, WriteSet
);
