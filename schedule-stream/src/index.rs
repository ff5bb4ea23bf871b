//! How the place of a record is found by its key.

use core::fmt;
use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::key::Key;

/// Finds the number of a place by a key.
///
/// Not to be implemented by hand: there is [`Hashed`] for any key, and [`Dense`] for small numbers.
pub trait Index<K>: Default + fmt::Debug + Send + Sync + 'static {
    /// Whether another key may have a place, once its own is forgotten.
    #[doc(hidden)]
    const IS_FREED: bool;

    /// The place of the key. May be there although the record is not.
    #[doc(hidden)]
    fn find(&self, key: &K) -> Option<u32>;

    /// A place for a key that has none: one of `free`, or the one after the `n_places` that there are, or any other that
    /// is not in use.
    #[doc(hidden)]
    fn add(&mut self, key: &K, n_places: u32, free: &mut Vec<u32>) -> u32;

    /// Forgets the key.
    #[doc(hidden)]
    fn remove(&mut self, key: &K);
}

/// Any keys, in a hash map. O(1).
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
        // A key that panics as it is copied takes none.
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
    /// The number. Keys of the same number are of the same record.
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

/// Small numbers, each of which is the place itself. O(1), without a search.
///
/// # Memory
///
/// Memory grows with the largest id that was inserted, even if smaller ids were not. Each id up to the largest one takes
/// 3 bits, and up to 7 bits if records are large. Records lie in blocks of 16 to 1024 neighbouring ids, of at most 32 KiB for
/// records of at most 2 KiB. A block is allocated when the first of its ids is inserted.
///
/// So that one wrong id cannot take all memory, there is a maximum, [`Record::MAX_ID`](super::Record::MAX_ID). With the
/// default of 16,777,215, one id takes at most 16 MiB beside its block. With the largest possible maximum, `u32::MAX`, it
/// takes up to 4 GiB. If all ids up to the maximum are inserted, memory is that of so many `Option<T>` and `Option<K>`.
///
/// An event that would insert a record with a larger id is refused with
/// [`EventError::IdTooLarge`](super::EventError::IdTooLarge). That is an event that names the id for a [`Slot`](super::Slot), or
/// for `&mut T` in [`Records::or_default`](super::Records::or_default). For other parameters there is no record of that id.
/// [`Records::try_insert`](super::Records::try_insert) returns an error, and
/// [`Records::insert`](super::Records::insert) panics.
///
/// Ids that the program does not assign itself, such as ids from a file, are better hashed: `#[record(key = u32)]`.
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
                _ => panic_any("this one cannot be copied"),
            }
        }
    }

    #[test]
    fn a_key_that_cannot_be_copied_takes_no_place() {
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
