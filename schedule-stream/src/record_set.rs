//! Record sets: parameters with several keys.
//!
//! Invariant: the keys and the records of a [`Members`] are there for `'h`, each record once; what its members point to is a `Place<T>` and a
//! `Place<T::Key>` in which there is one. Nobody else writes them meanwhile; and the records of a [`RecordSetMut`], nobody else uses.
#![expect(unsafe_code, reason = "gives out the records of a set")]

use core::fmt;
use core::ptr::NonNull;

use super::blocks::Place;
use super::footprint::Member;
use super::key::AsKey;
use super::record::Record;

/// Where keys and records are.
struct Members<'h, T: Record> {
    /// As an event has named them: some may not be there.
    named: &'h [Member],
    /// Creates a set, for a test that calls a handler.
    given: Vec<(&'h T::Key, NonNull<T>)>,
}

// SAFETY: these are references to what can be shared or, if nobody else uses it, sent.
unsafe impl<T: Record> Send for Members<'_, T> {}

// SAFETY: the same.
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

    /// The keys and the places of those that were not named before.
    fn places(&self) -> impl Iterator<Item = (&'h T::Key, NonNull<Place<T>>)> {
        self.named.iter().filter_map(|member| {
            let key = member.key.cast::<Place<T::Key>>();
            // SAFETY: it is there, and nobody writes it.
            let key = unsafe { Place::get(key) }.as_ref();
            // SAFETY: what is named has one.
            let key = unsafe { key.unwrap_unchecked() };
            Some((key, member.address?.cast()))
        })
    }

    /// All of them.
    ///
    /// # Safety
    ///
    /// Nobody writes the records for `'a`.
    unsafe fn iter<'a>(&self) -> impl Iterator<Item = (&'h T::Key, &'a T)> {
        let named = self.places().filter_map(|(key, place)| {
            // SAFETY: the place is valid, and nothing writes it for `'a`: the contract of this function.
            Some((key, unsafe { Place::get(place) }.as_ref()?))
        });
        let given = self.given.iter();
        // SAFETY: the pointer comes from a reference that lives for `'h`, and nothing writes the record for `'a`.
        named.chain(given.map(|(key, record)| (*key, unsafe { record.as_ref() })))
    }

    /// The same, to be changed.
    ///
    /// # Safety
    ///
    /// Nobody else uses the records for `'a`.
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
    /// These are members of a set of such records, which are there for `'h`; none is written for that long.
    pub(super) unsafe fn new(members: &'h [Member]) -> Self {
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
        // SAFETY: nobody writes them for `'h`.
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
        let all = records.into_iter();
        let all = all.map(|(key, record)| (key, NonNull::from(record)));
        Self(Members::given(all))
    }
}

/// The existing records of the keys that an event names with `#[keys(…)]`, each once, for writing.
pub struct RecordSetMut<'h, T: Record>(Members<'h, T>);

impl<'h, T: Record> RecordSetMut<'h, T> {
    /// # Safety
    ///
    /// These are members of a set of such records, each once, which are there for `'h`; nobody else uses one for that long.
    pub(super) unsafe fn new(members: &'h [Member]) -> Self {
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
        // SAFETY: nobody else uses them, and this is borrowed as long as what it gives.
        unsafe { self.0.iter() }
    }

    /// Iterates over all records mutably, in the same order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&'h T::Key, &mut T)> {
        // SAFETY: as in `iter`, exclusively.
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
        let all = records.into_iter();
        let all = all.map(|(key, record)| (key, NonNull::from(record)));
        Self(Members::given(all))
    }
}
