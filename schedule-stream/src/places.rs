//! Where records and their keys are.
//!
//! Invariant: the places of which `with_key` says so were made, and only these have a key; those from `first_full` on, `n_full` of
//! them, are among these. The thread that has the store looks
//! places up, adds some and gives them keys, while other threads use those that an event of theirs has named: see
//! [`blocks`](super::blocks). So what is in a place is touched here while no events run, but for the key of one that no event in flight
//! has named.
#![expect(
    unsafe_code,
    reason = "touches what is in places while nobody has named it"
)]

use core::fmt;
use core::ptr::NonNull;

use fixedbitset::FixedBitSet;

use super::blocks::{Blocks, Place};
use schedule::internal::prefetch_line;

/// Where a value and its key are.
pub(super) type WithKey<K, V> = (NonNull<Place<V>>, NonNull<Place<K>>);

/// By number.
pub(super) struct Places<K, V> {
    values: Blocks<Place<V>>,
    /// Each changes only while nobody has named its record. Apart from these, which are touched for each event: so they are near.
    keys: Blocks<Place<K>>,
    /// The places that are for a key. To look something up by its number is to look here first, at any of many, unless it is among
    /// those that all have a key. This and what else is noted of places is apart from them, since other threads write to those: to
    /// look something up is then nothing that they notice.
    with_key: FixedBitSet,
    /// How many places have a key.
    n_with_key: usize,
    /// Those of them in which there was a record when they were counted.
    counted: FixedBitSet,
    n_counted: usize,
    /// Some in a row, all of which have a key: all that there are, if none has gone; and else many, most often.
    first_full: u32,
    n_full: u32,
}

impl<K, V> Places<K, V> {
    pub(super) const fn new() -> Self {
        Self {
            values: Blocks::new(),
            keys: Blocks::new(),
            with_key: FixedBitSet::new(),
            n_with_key: 0,
            counted: FixedBitSet::new(),
            n_counted: 0,
            first_full: 0,
            n_full: 0,
        }
    }

    /// The address of a place that has a key. What is in it is for who has named it.
    #[inline(always)]
    pub(super) fn find(&self, place: u32) -> Option<NonNull<Place<V>>> {
        // SAFETY: it has a key, so it was made.
        (self.has_key(place)).then(|| unsafe { self.values.find_made(place) })
    }

    /// The same, and the address of its key.
    #[inline(always)]
    pub(super) fn find_with_key(&self, place: u32) -> Option<WithKey<K, V>> {
        let value = self.find(place)?;
        // SAFETY: it has a key, so both were made.
        Some((value, unsafe { self.keys.find_made(place) }))
    }

    /// The address of the key of a place that has one.
    fn find_key(&self, place: u32) -> Option<NonNull<Place<K>>> {
        // SAFETY: as in `find`.
        (self.has_key(place)).then(|| unsafe { self.keys.find_made(place) })
    }

    /// Whether a place has a key.
    #[inline(always)]
    pub(super) fn has_key(&self, place: u32) -> bool {
        place.wrapping_sub(self.first_full) < self.n_full || self.with_key.contains(place as usize)
    }

    /// Asks for the memory of what is in a place, if it was made, and of whether it has a key: not to look that up, since
    /// the one would be waited for before the other is asked for.
    #[inline(always)]
    pub(super) fn prefetch(&self, place: u32) {
        let with_key: *const u8 = self.with_key.as_slice().as_ptr().cast();
        prefetch_line(with_key.wrapping_add(place as usize / 8));
        if let Some(value) = self.values.find(place) {
            let first: *const u8 = value.as_ptr().cast();
            prefetch_line(first);
            // Places are not aligned to lines of the cache.
            prefetch_line(first.wrapping_add(size_of::<Place<V>>() - 1));
        }
    }

    /// Makes a place, if it has no key, and gives it one.
    pub(super) fn make(&mut self, place: u32, key: impl FnOnce() -> K) {
        if self.has_key(place) {
            return;
        }
        self.values.make(place);
        self.keys.make(place);
        self.set_key(place, Some(key()));
    }

    /// Another key for a place that was made, or none. Nobody has named it.
    pub(super) fn set_key(&mut self, place: u32, to: Option<K>) -> Option<K> {
        let key = self.keys.find(place)?;
        // What was not there before is not.
        self.with_key.grow(place as usize + 1);
        self.counted.grow(place as usize + 1);
        let has_key = to.is_some();
        // SAFETY: keys are written by who has the store, and it is borrowed by this caller alone; what has no key is
        // named by no event, and what has one only while events run on it.
        let before = std::mem::replace(unsafe { Place::get_mut(key) }, to);
        self.n_with_key -= usize::from(self.with_key.contains(place as usize));
        self.with_key.set(place as usize, has_key);
        self.n_with_key += usize::from(has_key);
        self.find_full(place, has_key);
        before
    }

    /// Finds out which places in a row have a key, as one has got one or lost it. O(1).
    fn find_full(&mut self, place: u32, has_key: bool) {
        let (first, n) = (self.first_full, self.n_full);
        let nth = place.wrapping_sub(first);
        let is_all = self.n_with_key == self.with_key.len() && place < u32::MAX;
        [self.first_full, self.n_full] = if is_all {
            [0, self.with_key.len() as u32]
        } else if has_key && n == 0 {
            [place, 1]
        } else if has_key && nth == n {
            [first, n + 1]
        } else if has_key && nth == u32::MAX {
            [place, n + 1]
        } else if has_key || nth >= n {
            [first, n]
        } else if nth < n / 2 {
            [place + 1, n - nth - 1]
        } else {
            [first, nth]
        };
    }

    /// Whether there was a value in a place when it was counted.
    #[inline(always)]
    pub(super) fn is_counted(&self, place: u32) -> bool {
        self.counted.contains(place as usize)
    }

    /// The value of a place, if there is one. No events run.
    pub(super) fn get(&self, place: u32) -> Option<&V> {
        // SAFETY: whoever runs events borrows the store exclusively as long as they run.
        unsafe { Place::get(self.find(place)?) }.as_ref()
    }

    /// What is in a place that has a key. No events run.
    pub(super) fn value_mut(&mut self, place: u32) -> Option<&mut Option<V>> {
        // SAFETY: as in `get`, and this caller borrows the store exclusively.
        Some(unsafe { Place::get_mut(self.find(place)?) })
    }

    /// Finds out whether there is a value in a place that has a key. No events run.
    pub(super) fn count(&mut self, place: u32) -> bool {
        let is_there = self.get(place).is_some();
        self.n_counted += usize::from(is_there);
        self.n_counted -= usize::from(self.counted.contains(place as usize));
        self.counted.set(place as usize, is_there);
        is_there
    }

    /// How many values there were when they were counted.
    pub(super) fn n_counted(&self) -> usize {
        self.n_counted
    }

    /// The key and the value of all that were counted, by number. No events run.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.counted.ones().filter_map(|place| {
            let place = place as u32;
            // SAFETY: as in `get`.
            let key = unsafe { Place::get(self.find_key(place)?) };
            key.as_ref().zip(self.get(place))
        })
    }

    /// The same, to be changed.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        let places = &*self;
        places.counted.ones().filter_map(|place| {
            let place = place as u32;
            // SAFETY: as in `get`.
            let key = unsafe { Place::get(places.find_key(place)?) };
            // SAFETY: as in `value_mut`, and each comes once.
            let value = unsafe { Place::get_mut(places.find(place)?) };
            key.as_ref().zip(value.as_mut())
        })
    }
}

impl<K, V> fmt::Debug for Places<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Places({})", self.n_with_key)
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_of_a_place_is_of_it_alone() {
        let mut places = Places::<u32, [u64; 64]>::new();
        let far = 1_000_000;
        places.make(far, || 7);
        assert!(places.find(far).is_some() && places.find_key(far).is_some());
        assert!(places.find(far + 1).is_none() && places.find(0).is_none());
        places.make(far - 1, || 6);
        *places.value_mut(far).unwrap() = Some([1; 64]);
        assert!(places.iter().next().is_none(), "it is not counted yet");
        assert!(places.count(far) && !places.count(far - 1));
        assert!(places.is_counted(far) && !places.is_counted(far - 1));
        assert_eq!(places.n_counted(), 1);
        assert_eq!(places.iter().next(), Some((&7, &[1; 64])));
        // It is made once, and stays where it is.
        let place = places.find(far);
        places.make(far, || 8);
        places.make(far + 5_000, || 9);
        assert_eq!(places.find(far), place);
        assert_eq!(places.iter().count(), 1, "the other one is vacant");
        assert_eq!(places.set_key(far, None), Some(7));
        assert_eq!(places.set_key(far, None), None);
        assert!(places.find(far).is_none() && places.get(far).is_none());
    }

    #[test]
    fn of_places_in_a_row_it_is_known_that_they_have_a_key() {
        let mut places = Places::<u32, u64>::new();
        let full = |places: &Places<u32, u64>| (places.first_full, places.n_full);
        // From one on.
        (1..6).for_each(|place| places.make(place, || place));
        assert_eq!(full(&places), (1, 5));
        places.make(0, || 0);
        assert_eq!(full(&places), (0, 6), "all");
        assert_eq!(places.set_key(1, None), Some(1));
        assert_eq!(full(&places), (2, 4), "the longer part");
        assert_eq!(places.set_key(1, None), None);
        assert_eq!(places.set_key(4, None), Some(4));
        assert_eq!(full(&places), (2, 2));
        places.make(9, || 9);
        let with_key = |places: &Places<u32, u64>| -> Vec<u32> {
            (0..12).filter(|place| places.has_key(*place)).collect()
        };
        assert_eq!(with_key(&places), [0, 2, 3, 5, 9]);
        places.make(4, || 4);
        places.make(1, || 1);
        assert_eq!(
            full(&places),
            (1, 4),
            "what is behind a gap is not looked at"
        );
        assert_eq!(with_key(&places), [0, 1, 2, 3, 4, 5, 9]);
        (6..9).for_each(|place| places.make(place, || place));
        assert_eq!(full(&places), (0, 10), "all");
        assert_eq!(places.n_with_key, 10);
    }
}
