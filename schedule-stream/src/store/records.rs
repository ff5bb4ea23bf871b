//! The store of all records of one type.

#[cfg(feature = "durable")]
mod snapshot;

use core::cmp::Reverse;
use core::fmt;
use core::ptr::NonNull;

use crate::base::backlog::Backlog;
use crate::base::blocks::Place;
use crate::base::index::Index;
use crate::base::key::AsKey;
use crate::base::places::{Places, WithKey};
use crate::store::insert_error::IdTooLarge;
use crate::store::record::Record;
use schedule::identity::Name;
use schedule::internal::UserValue;
use schedule::internal::{Argument, generic_name, mix};
use schedule::{Identity, Resource};

/// A store: the records of one type, at most one per key. It is a resource. Handlers take single records of it.
///
/// ```
/// use schedule::prelude::*;
/// use schedule_stream::prelude::*;
///
/// #[derive(Record, Debug, PartialEq)]
/// #[record(key = String)]
/// struct Customer(u32);
///
/// let mut customers = Records::new();
/// assert_eq!(customers.insert("Ada".to_string(), Customer(1)), None);
/// customers.get_mut("Ada".to_string()).unwrap().0 += 1;
/// assert_eq!(customers.iter().next(), Some((&"Ada".to_string(), &Customer(2))));
/// assert_eq!(customers.remove("Ada".to_string()), Some(Customer(2)));
/// assert!(customers.is_empty());
/// ```
pub struct Records<T: Record> {
    index: T::Index,
    places: Places<T::Key, T>,
    /// Places from this index on were never in use.
    n_places: u32,
    /// Places below `n_places` that are free for other keys.
    free: Vec<u32>,
    /// The default of missing records: see [`or_default`](Self::or_default).
    absent: Option<Box<Absent<T>>>,
    /// Places at which an event may have inserted or removed a record since they were last counted.
    uncounted: Backlog,
    /// Places that had no record when they were counted and are still reserved for their keys. Some may be in use
    /// again.
    vacant: Backlog,
    /// How often events named a place at which they may insert or remove a record, since vacant places were last freed.
    n_doubts: u32,
}

/// The default of missing records.
pub(crate) struct Absent<T> {
    pub(crate) new: fn() -> T,
    /// The default value, for readers.
    pub(crate) one: UserValue<T>,
}

impl<T: Record> Records<T> {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self {
            index: T::Index::default(),
            places: Places::new(),
            n_places: 0,
            free: Vec::new(),
            absent: None,
            uncounted: Backlog::default(),
            vacant: Backlog::default(),
            n_doubts: 0,
        }
    }

    /// Creates an empty store in which no record is missing.
    ///
    /// If an event names a missing record, `&mut T` creates it with the default value, and `&T` reads the default value
    /// without storing it. `Option` parameters are still `None`, and record sets contain only existing records.
    pub fn or_default() -> Self
    where
        T: Default,
    {
        Self {
            absent: Some(Box::new(Absent {
                new: T::default,
                one: UserValue::new(T::default()),
            })),
            ..Self::new()
        }
    }

    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.places.n_counted()
    }

    /// Returns whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the record of a key.
    pub fn get(&self, key: impl AsKey<T::Key>) -> Option<&T> {
        self.places.get(self.index.find(key.as_key())?)
    }

    /// Returns the record of a key, mutably.
    pub fn get_mut(&mut self, key: impl AsKey<T::Key>) -> Option<&mut T> {
        let place = self.index.find(key.as_key())?;
        self.places.value_mut(place)?.as_mut()
    }

    /// Returns whether a record has this key.
    pub fn contains(&self, key: impl AsKey<T::Key>) -> bool {
        self.get(key).is_some()
    }

    /// Inserts a record, and returns the previous one of the same key.
    ///
    /// # Panics
    ///
    /// Panics if the key is an id above [`Record::MAX_ID`]. See [`try_insert`](Self::try_insert).
    #[track_caller]
    pub fn insert(&mut self, key: T::Key, record: T) -> Option<T> {
        match self.try_insert(key, record) {
            Ok(before) => before,
            Err(error) => panic!("{error}"),
        }
    }

    /// Inserts a record, and returns the previous one of the same key.
    ///
    /// ```
    /// use schedule::prelude::*;
    /// use schedule_stream::prelude::*;
    ///
    /// #[derive(Record, Debug, PartialEq)]
    /// #[record(id = u32, max_id = 99)]
    /// struct Account(u64);
    ///
    /// let mut accounts = Records::new();
    /// assert_eq!(accounts.try_insert(99, Account(5)), Ok(None));
    /// let error = accounts.try_insert(100, Account(5)).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "id 100 is above 99, the maximum id of `Account`: raise it with `max_id`, or use `key` instead of `id`"
    /// );
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the key is an id above [`Record::MAX_ID`]. Then nothing is inserted, and `record` is dropped.
    pub fn try_insert(&mut self, key: T::Key, record: T) -> Result<Option<T>, IdTooLarge> {
        let place = self.place_of(&key)?;
        let value = self
            .places
            .value_mut(place)
            .expect("`place_of` has created this place");
        let before = value.replace(record);
        if before.is_none() {
            self.places.count(place);
            // Another key with the same number may have left its key at this place.
            self.places.set_key(place, Some(key));
        }
        Ok(before)
    }

    /// Removes the record of a key, and returns it.
    pub fn remove(&mut self, key: impl AsKey<T::Key>) -> Option<T> {
        let place = self.index.find(key.as_key())?;
        let record = self.places.value_mut(place)?.take()?;
        self.places.count(place);
        self.free(place);
        Some(record)
    }

    /// Iterates over all records.
    ///
    /// [`Dense`](crate::keys::Dense) records are in order of their ids. Hashed records are in order of insertion, until one is
    /// removed. The same events cause the same order, on any number of threads and in any number of calls.
    pub fn iter(&self) -> impl Iterator<Item = (&T::Key, &T)> {
        self.places.iter()
    }

    /// Iterates over all records mutably, in the order of [`iter`](Self::iter).
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&T::Key, &mut T)> {
        self.places.iter_mut()
    }

    /// Returns the address of the default of missing records.
    pub(crate) fn absent(&self) -> Option<NonNull<Absent<T>>> {
        self.absent.as_deref().map(NonNull::from)
    }

    /// Returns the place of the record of a key. The record may be missing: only an event that has named the place may
    /// look.
    #[inline]
    pub(crate) fn find(&self, key: &T::Key) -> Option<NonNull<Place<T>>> {
        // A place without a key has no record, and no earlier event will insert one.
        self.places.find(self.index.find(key)?)
    }

    /// Returns the place of the record of a key, and the place of the key.
    #[inline]
    pub(crate) fn find_with_key(&self, key: &T::Key) -> Option<WithKey<T::Key, T>> {
        self.places.find_with_key(self.index.find(key)?)
    }

    /// Returns the number that identifies this key, if keys are numbers. The record may be missing.
    pub(crate) fn number(&self, key: &T::Key) -> Option<u32> {
        // If places are not reused for other keys, the index of the place identifies the key.
        if T::Index::IS_FREED {
            None
        } else {
            self.index.find(key)
        }
    }

    /// Prefetches the record of a key.
    #[inline]
    pub(crate) fn prefetch(&self, key: &T::Key) {
        if let Some(place) = self.index.find(key) {
            self.places.prefetch(place);
        }
    }

    /// Returns the place of the record of a key, where a default may be inserted. `None` if the id is too large.
    #[inline]
    pub(crate) fn find_or_default(&mut self, key: &T::Key) -> Option<NonNull<Place<T>>> {
        let (place, value) = self.find_or_make(key)?;
        // This argument cannot remove an existing record. Another argument that can has added the place to `uncounted`.
        if !self.places.is_counted(place) {
            self.uncounted.add(place);
        }
        Some(value)
    }

    /// Returns the place of the record of a key, where the record may be inserted or removed. `None` if the id is too
    /// large.
    #[inline]
    pub(crate) fn find_slot(&mut self, key: &T::Key) -> Option<NonNull<Place<T>>> {
        let (place, value) = self.find_or_make(key)?;
        self.uncounted.add(place);
        Some(value)
    }

    /// Returns the place of a key, and creates it if necessary. `None` if the id is too large.
    #[inline(always)]
    fn find_or_make(&mut self, key: &T::Key) -> Option<(u32, NonNull<Place<T>>)> {
        let place = match self.index.find(key) {
            Some(place) if self.places.has_key(place) => place,
            _ => self.place_of(key).ok()?,
        };
        // If user code of the key panics, the event is not counted.
        self.n_doubts = self.n_doubts.saturating_add(1);
        Some((
            place,
            self.places.find(place).expect("this place has a key"),
        ))
    }

    /// Returns how often events named a place at which they may insert or remove a record, since vacant places were
    /// last freed.
    pub(crate) fn n_doubts(&self) -> u32 {
        self.n_doubts
    }

    /// Returns the memory of all places, in bytes.
    pub(crate) fn n_bytes(&self) -> usize {
        self.n_places as usize * size_of::<Place<T>>()
    }

    /// Counts the records that events have inserted and removed. No event may run.
    pub(crate) fn count_all(&mut self) {
        for place in self.uncounted.drain() {
            let is_there = self.places.count(place);
            if !is_there && T::Index::IS_FREED {
                self.vacant.add(place);
            }
        }
    }

    /// Frees vacant places. All places are counted, and no event may run.
    pub(crate) fn free_all(&mut self) {
        self.n_doubts = 0;
        let n_free = self.free.len();
        let mut vacant = std::mem::take(&mut self.vacant);
        for place in vacant.drain() {
            if self.places.get(place).is_none() {
                self.free(place);
            }
        }
        self.vacant = vacant;
        // The order in which places became vacant depends on how events were divided into calls. Sorted indices do not.
        self.free[n_free..].sort_unstable_by_key(|place| Reverse(*place));
    }

    /// Frees a vacant place for another key, if the index reuses places.
    fn free(&mut self, place: u32) {
        if T::Index::IS_FREED
            && let Some(key) = self.places.set_key(place, None)
        {
            self.index.remove(&key);
            self.free.push(place);
        }
    }

    /// Returns the place of a key, and creates it if necessary. Allocates nothing for an id that is too large.
    fn place_of(&mut self, key: &T::Key) -> Result<u32, IdTooLarge> {
        if let Some(id) = self.number(key)
            && id > T::MAX_ID
        {
            return Err(IdTooLarge::new::<T>(id));
        }
        let place = match self.index.find(key) {
            Some(place) => place,
            None => self.index.add(key, self.n_places, &mut self.free),
        };
        self.n_places = self.n_places.max(place.saturating_add(1));
        self.places.make(place, || key.clone());
        Ok(place)
    }
}

impl<T: Record> Default for Records<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Record> Identity for Records<T> {
    const ID: u128 = mix(mix(0, 0x656e_7469_7469_6573), T::ID);
    const NAME: Name = generic_name("Records", &[Argument::Type(T::NAME)]);
}

impl<T: Record> Resource for Records<T> {}

impl<T: Record> FromIterator<(T::Key, T)> for Records<T> {
    /// # Panics
    ///
    /// As [`insert`](Self::insert).
    fn from_iter<I: IntoIterator<Item = (T::Key, T)>>(records: I) -> Self {
        let mut all = Self::new();
        all.extend(records);
        all
    }
}

impl<T: Record> Extend<(T::Key, T)> for Records<T> {
    /// # Panics
    ///
    /// As [`insert`](Self::insert).
    fn extend<I: IntoIterator<Item = (T::Key, T)>>(&mut self, records: I) {
        for (key, record) in records {
            self.insert(key, record);
        }
    }
}

impl<T: Record + fmt::Debug> fmt::Debug for Records<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
