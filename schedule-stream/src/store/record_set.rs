//! Record sets: parameters with several keys.
//!
//! Invariant: the keys and records of a [`Members`] are valid for `'h`, and each record occurs once. A [`Member`]
//! points to a `Place<T::Key>` that contains a key, and to a `Place<T>`. No other event writes them for `'h`. No other
//! event uses the records of a [`RecordSetMut`] for `'h`.
#![expect(unsafe_code, reason = "follows the addresses of set members")]

use core::fmt;
use core::ptr::NonNull;

use crate::base::blocks::Place;
use crate::base::footprint::Member;
use crate::base::key::AsKey;
use crate::store::record::Record;

/// The keys and records of a set.
struct Members<'h, T: Record> {
    /// The members that an event named. Some records may be missing.
    named: &'h [Member],
    /// The records of a set that a test created.
    given: Vec<(&'h T::Key, NonNull<T>)>,
}

// SAFETY: a `Members` is equivalent to references to keys and records. `Record` requires `Send + Sync` of both, so
// shared and exclusive references to them may be sent.
unsafe impl<T: Record> Send for Members<'_, T> {}

// SAFETY: a shared `Members` only allows shared references to keys and records, and both are `Sync`.
unsafe impl<T: Record> Sync for Members<'_, T> {}

impl<'h, T: Record> Members<'h, T> {
    fn named(members: &'h [Member]) -> Self {
        Self {
            named: members,
            given: Vec::new(),
        }
    }

    fn given(records: impl Iterator<Item = (&'h T::Key, NonNull<T>)>) -> Self {
        Self {
            named: &[],
            given: records.collect(),
        }
    }

    /// Returns the keys and places of all members that are not aliases of earlier ones.
    fn places(&self) -> impl Iterator<Item = (&'h T::Key, NonNull<Place<T>>)> {
        self.named.iter().filter_map(|member| {
            let key = member.key.cast::<Place<T::Key>>();
            // SAFETY: a member points to a `Place<T::Key>` that is valid for `'h` and that no event writes: the
            // invariant of `Members`.
            let key = unsafe { Place::get(key) }.as_ref();
            // SAFETY: the place of a key contains a key: the invariant of `Members`.
            let key = unsafe { key.unwrap_unchecked() };
            Some((key, member.address?.cast()))
        })
    }

    /// Iterates over the existing records.
    ///
    /// # Safety
    ///
    /// No thread writes the records for `'a`.
    unsafe fn iter<'a>(&self) -> impl Iterator<Item = (&'h T::Key, &'a T)> {
        let named = self.places().filter_map(|(key, place)| {
            // SAFETY: the place is valid, and nothing writes it for `'a`: the contract of this function.
            Some((key, unsafe { Place::get(place) }.as_ref()?))
        });
        let given = self.given.iter();
        // SAFETY: the pointer comes from a reference that lives for `'h`, and nothing writes the record for `'a`.
        named.chain(given.map(|(key, record)| (*key, unsafe { record.as_ref() })))
    }

    /// Iterates over the existing records, mutably.
    ///
    /// # Safety
    ///
    /// No other code uses the records for `'a`.
    unsafe fn iter_mut<'a>(&self) -> impl Iterator<Item = (&'h T::Key, &'a mut T)> {
        let named = self.places().filter_map(|(key, place)| {
            // SAFETY: the place is valid, nothing else uses it for `'a`, and each member occurs once.
            Some((key, unsafe { Place::get_mut(place) }.as_mut()?))
        });
        let given = self.given.iter().copied();
        // SAFETY: the pointer comes from a mutable reference that lives for `'h`, and each record occurs once.
        named.chain(given.map(|(key, mut record)| (key, unsafe { record.as_mut() })))
    }
}

/// The existing records of the keys that an event names with `#[keys(…)]`, each once, for reading.
pub struct RecordSet<'h, T: Record>(Members<'h, T>);

impl<'h, T: Record> RecordSet<'h, T> {
    /// # Safety
    ///
    /// The members are those of a set of `T`. They are valid for `'h`, and no event writes them for `'h`.
    pub(crate) unsafe fn new(members: &'h [Member]) -> Self {
        Self(Members::named(members))
    }

    /// Returns the number of records. O(records).
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Returns whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Returns the record of this key. O(records).
    pub fn get(&self, key: impl AsKey<T::Key>) -> Option<&'h T> {
        let mut all = self.iter();
        Some(all.find(|(of, _)| *of == key.as_key())?.1)
    }

    /// Iterates over all records, in the order in which they were first named.
    pub fn iter(&self) -> impl Iterator<Item = (&'h T::Key, &'h T)> {
        // SAFETY: no thread writes the records for `'h`: the contract of `new`, or the shared references of
        // `from_iter`.
        unsafe { self.0.iter() }
    }
}

impl<T: Record + fmt::Debug> fmt::Debug for RecordSet<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<'h, T: Record> FromIterator<(&'h T::Key, &'h T)> for RecordSet<'h, T> {
    /// Creates a set, for a test that calls a handler.
    fn from_iter<I: IntoIterator<Item = (&'h T::Key, &'h T)>>(records: I) -> Self {
        let all = records
            .into_iter()
            .map(|(key, record)| (key, NonNull::from(record)));
        Self(Members::given(all))
    }
}

/// The existing records of the keys that an event names with `#[keys(…)]`, each once, for writing.
pub struct RecordSetMut<'h, T: Record>(Members<'h, T>);

impl<'h, T: Record> RecordSetMut<'h, T> {
    /// # Safety
    ///
    /// The members are those of a set of `T`, each record once. They are valid for `'h`, and no other event uses them
    /// for `'h`.
    pub(crate) unsafe fn new(members: &'h [Member]) -> Self {
        Self(Members::named(members))
    }

    /// Returns the number of records. O(records).
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Returns whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Returns the record of this key. O(records).
    pub fn get(&self, key: impl AsKey<T::Key>) -> Option<&T> {
        let mut all = self.iter();
        Some(all.find(|(of, _)| *of == key.as_key())?.1)
    }

    /// Returns the record of this key, mutably. O(records).
    pub fn get_mut(&mut self, key: impl AsKey<T::Key>) -> Option<&mut T> {
        let mut all = self.iter_mut();
        Some(all.find(|(of, _)| *of == key.as_key())?.1)
    }

    /// Returns the records of two different keys, if both exist. O(records).
    pub fn get_two_mut(
        &mut self,
        one: impl AsKey<T::Key>,
        other: impl AsKey<T::Key>,
    ) -> Option<(&mut T, &mut T)> {
        let keys = [one.as_key(), other.as_key()];
        let mut found = [None, None];
        for (of, record) in self.iter_mut() {
            if let Some(nth) = keys.iter().position(|key| *key == of) {
                found[nth] = Some(record);
            }
        }
        let [one, other] = found;
        one.zip(other)
    }

    /// Iterates over all records, in the order in which they were first named.
    pub fn iter(&self) -> impl Iterator<Item = (&'h T::Key, &T)> {
        // SAFETY: no other code uses the records: the contract of `new`, or the exclusive references of `from_iter`.
        // The result borrows `self`, so `iter_mut` cannot be called meanwhile.
        unsafe { self.0.iter() }
    }

    /// Iterates over all records mutably, in the same order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&'h T::Key, &mut T)> {
        // SAFETY: no other code uses the records: the contract of `new`, or the exclusive references of `from_iter`.
        // The result borrows `self` exclusively.
        unsafe { self.0.iter_mut() }
    }
}

impl<T: Record + fmt::Debug> fmt::Debug for RecordSetMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<'h, T: Record> FromIterator<(&'h T::Key, &'h mut T)> for RecordSetMut<'h, T> {
    /// Creates a set, for a test that calls a handler.
    fn from_iter<I: IntoIterator<Item = (&'h T::Key, &'h mut T)>>(records: I) -> Self {
        let all = records
            .into_iter()
            .map(|(key, record)| (key, NonNull::from(record)));
        Self(Members::given(all))
    }
}
