//! Indices: how the place of a record is found by its key.

use core::fmt;
use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::base::key::Key;

/// Finds the index of the place of a key.
///
/// Do not implement this trait. Use [`Hashed`] for any key, or [`Dense`] for small numbers.
pub trait Index<K>: Default + fmt::Debug + Send + Sync + 'static {
    /// Whether a place is reused for other keys after its key was removed.
    #[doc(hidden)]
    const IS_FREED: bool;

    /// Returns the place of the key. The record may be missing.
    #[doc(hidden)]
    fn find(&self, key: &K) -> Option<u32>;

    /// Adds a key, and returns its place: one of `free`, the place `n_places`, or any other unused place.
    #[doc(hidden)]
    fn add(&mut self, key: &K, n_places: u32, free: &mut Vec<u32>) -> u32;

    /// Removes the key.
    #[doc(hidden)]
    fn remove(&mut self, key: &K);
}

/// An index for any keys: a hash map. O(1).
#[derive(Debug)]
pub struct Hashed<K>(HashMap<K, u32, RandomState>);

impl<K> Default for Hashed<K> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<K: Key> Index<K> for Hashed<K> {
    const IS_FREED: bool = true;

    #[inline]
    fn find(&self, key: &K) -> Option<u32> {
        self.0.get(key).copied()
    }

    fn add(&mut self, key: &K, n_places: u32, free: &mut Vec<u32>) -> u32 {
        let place = free.last().copied().unwrap_or(n_places);
        self.0.insert(key.clone(), place);
        // If `clone` of the key panics, no place is used.
        free.pop();
        place
    }

    fn remove(&mut self, key: &K) {
        self.0.remove(key);
    }
}

/// A key that is a small number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the `#[record(id)]` of a record",
    label = "not a small number",
    note = "use `u8`, `u16`, `u32` or a type that implements `Id`, or a hashed key: `#[record(key = {Self})]`"
)]
pub trait Id: Key {
    /// Returns the number. Two keys with the same number identify the same record.
    fn number(&self) -> u32;
}

impl Id for u8 {
    fn number(&self) -> u32 {
        (*self).into()
    }
}

impl Id for u16 {
    fn number(&self) -> u32 {
        (*self).into()
    }
}

impl Id for u32 {
    #[inline]
    fn number(&self) -> u32 {
        *self
    }
}

/// An index for small numbers: the number is the index of the place. O(1), without a search.
///
/// # Memory
///
/// Memory grows with the largest id that was inserted, even if smaller ids were not. Each id up to the largest one takes
/// 3 bits, and up to 7 bits if records are large. Records lie in blocks of 16 to 1024 neighbouring ids, of at most 32 KiB for
/// records of at most 2 KiB. A block is allocated when the first of its ids is inserted.
///
/// A maximum, [`Record::MAX_ID`](crate::Record::MAX_ID), prevents that one wrong id uses all memory. With the default
/// of 16,777,215, one id takes at most 16 MiB in addition to its block. With the largest possible maximum, `u32::MAX`,
/// it takes up to 4 GiB. If all ids up to the maximum are inserted, the memory is that of one `Option<T>` and one
/// `Option<K>` per id.
///
/// An event that would insert a record with a larger id is rejected with
/// [`EventError::IdTooLarge`](crate::EventError::IdTooLarge). Such an event names the id for a [`Slot`](crate::Slot),
/// or for `&mut T` in [`Records::or_default`](crate::Records::or_default). For other parameters the record is missing.
/// [`Records::try_insert`](crate::Records::try_insert) returns an error, and
/// [`Records::insert`](crate::Records::insert) panics.
///
/// Use hashed keys, `#[record(key = u32)]`, for ids that the program does not assign itself, for example ids from a
/// file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dense;

impl<K: Id> Index<K> for Dense {
    const IS_FREED: bool = false;

    #[inline]
    fn find(&self, key: &K) -> Option<u32> {
        Some(key.number())
    }

    fn add(&mut self, key: &K, _: u32, _: &mut Vec<u32>) -> u32 {
        key.number()
    }

    fn remove(&mut self, _: &K) {}
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};

    use super::*;

    #[derive(PartialEq, Eq, Hash, Debug)]
    struct Fragile {
        may_be_copied: bool,
    }

    impl Clone for Fragile {
        fn clone(&self) -> Self {
            match *self {
                Self { may_be_copied } if may_be_copied => Self { may_be_copied },
                _ => panic_any("this key cannot be cloned"),
            }
        }
    }

    #[test]
    fn key_that_panics_in_clone_takes_no_place() {
        let (mut index, mut free) = (Hashed::default(), vec![3, 5]);
        let [whole, fragile] = [true, false].map(|may_be_copied| Fragile { may_be_copied });
        let add = || index.add(&fragile, 9, &mut free);
        catch_unwind(AssertUnwindSafe(add)).expect_err("the copy panics");
        assert_eq!(index.find(&fragile), None);
        assert_eq!(index.add(&whole, 9, &mut free), 5);
        assert_eq!(index.find(&whole), Some(5));
        assert_eq!(free, [3]);
    }
}
