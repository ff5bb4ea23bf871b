//! The places of a store: the memory of records and their keys, by index.
//!
//! Invariant: `with_key` contains exactly the places that have a key, and these exist. So do the `n_full` places from
//! `first_full` on.
//!
//! The thread that has the store looks up places, adds places and sets keys. Other threads use the places that their
//! events have named: see [`blocks`](super::blocks). So this module accesses values only while no event runs. It sets a
//! key only if no event in flight has named its place.
#![expect(
    unsafe_code,
    reason = "accesses places that no event in flight has named"
)]

use core::fmt;
use core::ptr::NonNull;

use fixedbitset::FixedBitSet;

use crate::base::blocks::{Blocks, Place};
use schedule::internal::prefetch_line;

/// The places of a value and its key.
pub(crate) type WithKey<K, V> = (NonNull<Place<V>>, NonNull<Place<K>>);

/// Values with keys, by index of the place.
pub(crate) struct Places<K, V> {
    values: Blocks<Place<V>>,
    /// A key changes only while no event in flight has named its place. Keys are separate from values, so that the
    /// values, which each event uses, are close together.
    keys: Blocks<Place<K>>,
    /// The places that have a key. A lookup by number tests this first, unless the place is in the full range below.
    /// This and the other fields about places are separate from the values: other threads write values, and a lookup
    /// must not share a cache line with them.
    with_key: FixedBitSet,
    /// The number of places with a key.
    n_with_key: usize,
    /// The places that had a record when they were last counted.
    counted: FixedBitSet,
    n_counted: usize,
    /// A range of places that all have a key: all places, if none was freed. Otherwise usually a large part.
    first_full: u32,
    n_full: u32,
}

impl<K, V> Places<K, V> {
    pub(crate) const fn new() -> Self {
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

    /// Returns the address of a place that has a key. Only an event that has named it may access the value.
    #[inline(always)]
    pub(crate) fn find(&self, place: u32) -> Option<NonNull<Place<V>>> {
        // SAFETY: the place has a key, and `set_key` only sets keys of places whose block exists.
        (self.has_key(place)).then(|| unsafe { self.values.find_made(place) })
    }

    /// Returns the addresses of a place and its key.
    #[inline(always)]
    pub(crate) fn find_with_key(&self, place: u32) -> Option<WithKey<K, V>> {
        let value = self.find(place)?;
        // SAFETY: the place has a key, so `set_key` has found the block of its key, and `make` creates both blocks.
        Some((value, unsafe { self.keys.find_made(place) }))
    }

    /// Returns the address of the key of a place that has one.
    fn find_key(&self, place: u32) -> Option<NonNull<Place<K>>> {
        // SAFETY: the place has a key, so `set_key` has found the block of its key.
        (self.has_key(place)).then(|| unsafe { self.keys.find_made(place) })
    }

    /// Returns the key of a place, if it has one. No event may run.
    pub(crate) fn key(&self, place: u32) -> Option<&K> {
        // SAFETY: no event runs, as in `get`, and only `set_key` writes keys, which needs `&mut self`.
        unsafe { Place::get(self.find_key(place)?) }.as_ref()
    }

    /// Returns whether a place has a key.
    #[inline(always)]
    pub(crate) fn has_key(&self, place: u32) -> bool {
        place.wrapping_sub(self.first_full) < self.n_full || self.with_key.contains(place as usize)
    }

    /// Prefetches the value of a place, and the word that records whether it has a key. It does not test that word: a
    /// test would wait for the word before the value is requested.
    #[inline(always)]
    pub(crate) fn prefetch(&self, place: u32) {
        let with_key: *const u8 = self.with_key.as_slice().as_ptr().cast();
        prefetch_line(with_key.wrapping_add(place as usize / 8));
        if let Some(value) = self.values.find(place) {
            let first: *const u8 = value.as_ptr().cast();
            prefetch_line(first);
            // Places are not aligned to cache lines.
            prefetch_line(first.wrapping_add(size_of::<Place<V>>() - 1));
        }
    }

    /// Creates a place with a key, if the place has none.
    pub(crate) fn make(&mut self, place: u32, key: impl FnOnce() -> K) {
        if self.has_key(place) {
            return;
        }
        self.values.make(place);
        self.keys.make(place);
        self.set_key(place, Some(key()));
    }

    /// Sets or removes the key of a place that exists. No event in flight may have named it. Returns the previous key.
    pub(crate) fn set_key(&mut self, place: u32, to: Option<K>) -> Option<K> {
        let key = self.keys.find(place)?;
        // New bits are 0.
        self.with_key.grow(place as usize + 1);
        self.counted.grow(place as usize + 1);
        let has_key = to.is_some();
        // SAFETY: only this function writes keys, and `&mut self` excludes other calls. Other threads read only the
        // keys of places that events in flight have named, and this is none of them.
        let before = std::mem::replace(unsafe { Place::get_mut(key) }, to);
        self.n_with_key -= usize::from(self.with_key.contains(place as usize));
        self.with_key.set(place as usize, has_key);
        self.n_with_key += usize::from(has_key);
        self.find_full(place, has_key);
        before
    }

    /// Updates the range of places that all have a key, after a place has got or lost its key. O(1).
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

    /// Returns whether a place had a value when it was last counted.
    #[inline(always)]
    pub(crate) fn is_counted(&self, place: u32) -> bool {
        self.counted.contains(place as usize)
    }

    /// Returns the value of a place, if it exists. No event may run.
    pub(crate) fn get(&self, place: u32) -> Option<&V> {
        // SAFETY: a call that runs events borrows the store exclusively until its events have ended. So no event runs
        // during this borrow, and no other thread writes the place.
        unsafe { Place::get(self.find(place)?) }.as_ref()
    }

    /// Returns the content of a place that has a key. No event may run.
    pub(crate) fn value_mut(&mut self, place: u32) -> Option<&mut Option<V>> {
        // SAFETY: no event runs, as in `get`, and `&mut self` excludes other references to the value.
        Some(unsafe { Place::get_mut(self.find(place)?) })
    }

    /// Counts whether a place that has a key has a value, and returns the result. No event may run.
    pub(crate) fn count(&mut self, place: u32) -> bool {
        let is_there = self.get(place).is_some();
        self.n_counted += usize::from(is_there);
        self.n_counted -= usize::from(self.counted.contains(place as usize));
        self.counted.set(place as usize, is_there);
        is_there
    }

    /// Returns the number of values, as last counted.
    pub(crate) fn n_counted(&self) -> usize {
        self.n_counted
    }

    /// Returns the number of places with a key.
    #[cfg(feature = "durable")]
    pub(crate) fn n_with_key(&self) -> usize {
        self.n_with_key
    }

    /// Iterates over the places with a key, in ascending order.
    #[cfg(feature = "durable")]
    pub(crate) fn with_key(&self) -> impl Iterator<Item = u32> {
        self.with_key.ones().map(|place| place as u32)
    }

    /// Iterates over all counted values with their keys, by index. No event may run.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.counted.ones().filter_map(|place| {
            let place = place as u32;
            self.key(place).zip(self.get(place))
        })
    }

    /// Iterates over all counted values mutably, with their keys. No event may run.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        let places = &*self;
        places.counted.ones().filter_map(|place| {
            let place = place as u32;
            // SAFETY: no event runs, as in `get`, and only `set_key` writes keys, which needs `&mut self`.
            let key = unsafe { Place::get(places.find_key(place)?) };
            // SAFETY: no event runs, `&mut self` excludes other references, and each place occurs once.
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
    fn state_of_a_place_is_its_own() {
        let mut places = Places::<u32, [u64; 64]>::new();
        let far = 1_000_000;
        places.make(far, || 7);
        assert!(places.find(far).is_some() && places.find_key(far).is_some());
        assert!(places.find(far + 1).is_none() && places.find(0).is_none());
        places.make(far - 1, || 6);
        *places.value_mut(far).unwrap() = Some([1; 64]);
        assert!(
            places.iter().next().is_none(),
            "the value is not counted yet"
        );
        assert!(places.count(far) && !places.count(far - 1));
        assert!(places.is_counted(far) && !places.is_counted(far - 1));
        assert_eq!(places.n_counted(), 1);
        assert_eq!(places.iter().next(), Some((&7, &[1; 64])));
        // A place is created once, and its address is stable.
        let place = places.find(far);
        places.make(far, || 8);
        places.make(far + 5_000, || 9);
        assert_eq!(places.find(far), place);
        assert_eq!(places.iter().count(), 1, "the other place is vacant");
        assert_eq!(places.set_key(far, None), Some(7));
        assert_eq!(places.set_key(far, None), None);
        assert!(places.find(far).is_none() && places.get(far).is_none());
    }

    #[test]
    fn range_of_places_with_keys_is_tracked() {
        let mut places = Places::<u32, u64>::new();
        let full = |places: &Places<u32, u64>| (places.first_full, places.n_full);
        // Places 1 to 5.
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
            "the range does not grow across a gap"
        );
        assert_eq!(with_key(&places), [0, 1, 2, 3, 4, 5, 9]);
        (6..9).for_each(|place| places.make(place, || place));
        assert_eq!(full(&places), (0, 10), "all");
        assert_eq!(places.n_with_key, 10);
    }
}
