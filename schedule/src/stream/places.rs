//! Memory for entities that stays where it is while more of it is added.
//!
//! Invariant: a place never moves until its [`Places`] is dropped, and only one that was made has a key. The thread that has the
//! store looks places up and adds some, while other threads use the value of a place that an event of theirs has claimed. So
//! only what is in the cells of a place is touched through a shared pointer, and by whom is for the claims to say: see
//! [`claim`](super::claim).
#![expect(
    unsafe_code,
    reason = "hands out places that stay where they are, by address"
)]

use core::cell::UnsafeCell;
use core::fmt;
use core::ptr::NonNull;

use fixedbitset::FixedBitSet;

use crate::prefetch::prefetch_line;

/// Places are made at once that take so many bytes, about; but so many places, at least and at most.
const BLOCK_BYTES: usize = 1 << 15;
const BLOCK_PLACES: [usize; 2] = if cfg!(miri) { [16, 16] } else { [16, 1024] };

/// Where an entity is, or may come to be.
#[repr(C)]
pub(super) struct Place<K, V> {
    value: UnsafeCell<Option<V>>,
    /// The key that the place is for. It changes only while nobody has claimed the place.
    key: UnsafeCell<Option<K>>,
}

/// What is noted of a place, for the thread that has the store. Apart from the place, which other threads write to: to look
/// something up is then nothing that they notice.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Desk(u8);

/// What may be noted of a place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Note {
    /// It is to be looked at again, since an entity may have come or gone.
    Doubtful = 1,
    /// The entity counts among those that there are.
    Counted = 2,
    /// The place is to become free, if it is still vacant then.
    Vacant = 4,
}

impl Desk {
    #[inline(always)]
    pub(super) fn has(self, note: Note) -> bool {
        self.0 & note as u8 != 0
    }

    pub(super) fn set(&mut self, note: Note, is_so: bool) {
        match is_so {
            true => self.0 |= note as u8,
            false => self.0 &= !(note as u8),
        }
    }
}

impl<K, V> Place<K, V> {
    fn vacant() -> Self {
        Self {
            value: UnsafeCell::new(None),
            key: UnsafeCell::new(None),
        }
    }

    /// What is in it.
    ///
    /// # Safety
    ///
    /// The place is there for `'h`, and for that long nobody writes to its value.
    #[inline(always)]
    pub(super) unsafe fn value<'h>(place: NonNull<Self>) -> &'h Option<V> {
        // SAFETY: said by the caller.
        let value = unsafe { &raw const (*place.as_ptr()).value };
        // SAFETY: said by the caller.
        unsafe { &*UnsafeCell::raw_get(value) }
    }

    /// What is in it, to be changed.
    ///
    /// # Safety
    ///
    /// The place is there for `'h`, and for that long nobody else uses its value.
    #[inline(always)]
    pub(super) unsafe fn value_mut<'h>(place: NonNull<Self>) -> &'h mut Option<V> {
        // SAFETY: said by the caller.
        let value = unsafe { &raw const (*place.as_ptr()).value };
        // SAFETY: said by the caller.
        unsafe { &mut *UnsafeCell::raw_get(value) }
    }

    /// The key that it is for.
    ///
    /// # Safety
    ///
    /// The place is there for `'h`, and for that long it is claimed.
    #[inline(always)]
    pub(super) unsafe fn key<'h>(place: NonNull<Self>) -> Option<&'h K> {
        // SAFETY: said by the caller.
        let key = unsafe { &raw const (*place.as_ptr()).key };
        // SAFETY: said by the caller.
        unsafe { &*UnsafeCell::raw_get(key) }.as_ref()
    }
}

/// By number; a block of them is there, or none.
pub(super) struct Places<K, V> {
    /// `blocks[i]`: the first of the places from `BLOCK * i` on.
    blocks: Vec<Option<NonNull<Place<K, V>>>>,
    /// What is noted of them.
    desks: Vec<Option<Box<[Desk]>>>,
    /// The places that are for a key. Apart from what is noted of them else: to look something up by its number is to look
    /// here first, at any of many.
    with_key: FixedBitSet,
}

// SAFETY: it owns what it points to.
unsafe impl<K: Send, V: Send> Send for Places<K, V> {}

// SAFETY: a shared store gives out shared references only.
unsafe impl<K: Sync, V: Sync> Sync for Places<K, V> {}

impl<K, V> Places<K, V> {
    /// Places in a block: a power of two.
    const BLOCK: usize = {
        let [least, most] = BLOCK_PLACES;
        let n = BLOCK_BYTES / size_of::<Place<K, V>>();
        if n <= least {
            least
        } else if n >= most {
            most
        } else {
            1 << n.ilog2()
        }
    };

    pub(super) const fn new() -> Self {
        Self {
            blocks: Vec::new(),
            desks: Vec::new(),
            with_key: FixedBitSet::new(),
        }
    }

    /// The block of a place, and which one it is there.
    #[inline(always)]
    const fn split(place: u32) -> (usize, usize) {
        (place as usize / Self::BLOCK, place as usize % Self::BLOCK)
    }

    /// The address of a place that was made. Its value is for who has claimed it.
    #[inline(always)]
    pub(super) fn find(&self, place: u32) -> Option<NonNull<Place<K, V>>> {
        let (block, nth) = Self::split(place);
        let first = (*self.blocks.get(block)?)?;
        // SAFETY: a block has so many.
        Some(unsafe { first.add(nth) })
    }

    /// Asks for the memory of what is in a place, if it was made, and of whether it has a key: not to look that up, since
    /// the one would be waited for before the other is asked for.
    #[inline(always)]
    pub(super) fn expect(&self, place: u32) {
        let keys: *const u8 = self.with_key.as_slice().as_ptr().cast();
        prefetch_line(keys.wrapping_add(place as usize / 8));
        if let Some(place) = self.find(place) {
            let first: *const u8 = place.as_ptr().cast();
            prefetch_line(first);
            // Places are not aligned to lines of the cache.
            prefetch_line(first.wrapping_add(size_of::<Option<V>>() - 1));
        }
    }

    /// Makes a place, if it was not made.
    pub(super) fn make(&mut self, place: u32) {
        let (block, _) = Self::split(place);
        if self.blocks.len() <= block {
            self.blocks.resize(block + 1, None);
            self.desks.resize(block + 1, None);
            self.with_key.grow((block + 1) * Self::BLOCK);
        }
        self.blocks[block].get_or_insert_with(|| {
            self.desks[block] = Some(vec![Desk::default(); Self::BLOCK].into());
            let places: Box<[Place<K, V>]> = (0..Self::BLOCK).map(|_| Place::vacant()).collect();
            NonNull::from(Box::leak(places)).cast()
        });
    }

    /// What is noted of a place that was made, while others may use its value.
    pub(super) fn desk(&mut self, place: u32) -> Option<&mut Desk> {
        let (block, nth) = Self::split(place);
        self.desks.get_mut(block)?.as_mut()?.get_mut(nth)
    }

    /// The address of a place that was made and has a key.
    #[inline(always)]
    pub(super) fn find_with_key(&self, place: u32) -> Option<NonNull<Place<K, V>>> {
        if !self.with_key.contains(place as usize) {
            return None;
        }
        let (block, nth) = Self::split(place);
        // SAFETY: it was made, so there are so many.
        let first = unsafe { self.blocks.get_unchecked(block) };
        // SAFETY: it was made.
        let first = unsafe { first.unwrap_unchecked() };
        // SAFETY: a block has so many.
        Some(unsafe { first.add(nth) })
    }

    /// Another key for a place that was made, or none. Nobody has claimed it.
    pub(super) fn set_key(&mut self, place: u32, to: Option<K>) -> Option<K> {
        let nth = place as usize;
        let place = self.find(place)?;
        self.with_key.set(nth, to.is_some());
        // SAFETY: it is there as long as `self`, which is borrowed; nothing is read.
        let key = unsafe { &raw const (*place.as_ptr()).key };
        // SAFETY: keys are written by who has the store, and it is borrowed by this caller alone; places without a key
        // are claimed by nobody, and with one only while events run on them.
        let key = unsafe { &mut *UnsafeCell::raw_get(key) };
        std::mem::replace(key, to)
    }

    /// The value of a place, if there is one. No events run.
    pub(super) fn get(&self, place: u32) -> Option<&V> {
        let place = self.find(place)?;
        // SAFETY: whoever runs events borrows the store exclusively as long as they run.
        unsafe { Place::value(place) }.as_ref()
    }

    /// What is in a place that was made. No events run.
    pub(super) fn value_mut(&mut self, place: u32) -> Option<&mut Option<V>> {
        let place = self.find(place)?;
        // SAFETY: as in `get`, and this caller borrows the store exclusively.
        Some(unsafe { Place::value_mut(place) })
    }

    /// The key and the value of all that there are, by number. No events run.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.blocks.iter().flatten().flat_map(|first| {
            let block = NonNull::slice_from_raw_parts(*first, Self::BLOCK);
            // SAFETY: it is there as long as `self`, which is borrowed; as in `get`.
            let block = unsafe { block.as_ref() };
            block.iter().filter_map(|place| {
                let place = NonNull::from(place);
                // SAFETY: as in `get`.
                let key = unsafe { Place::key(place) };
                // SAFETY: as in `get`.
                key.zip(unsafe { Place::value(place) }.as_ref())
            })
        })
    }

    /// The same, to be changed.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        self.blocks.iter_mut().flatten().flat_map(|first| {
            let mut block = NonNull::slice_from_raw_parts(*first, Self::BLOCK);
            // SAFETY: it is there as long as `self`, which this caller borrows exclusively.
            let block = unsafe { block.as_mut() };
            block.iter_mut().filter_map(|place| {
                let key = place.key.get_mut().as_ref();
                key.zip(place.value.get_mut().as_mut())
            })
        })
    }
}

impl<K, V> Drop for Places<K, V> {
    fn drop(&mut self) {
        for first in self.blocks.drain(..).flatten() {
            let block = NonNull::slice_from_raw_parts(first, Self::BLOCK);
            // SAFETY: it came from a box of a slice of that many, and nobody has it any more.
            drop(unsafe { Box::from_raw(block.as_ptr()) });
        }
    }
}

impl<K, V> fmt::Debug for Places<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_blocks = self.blocks.iter().flatten().count();
        write!(f, "Places({})", n_blocks * Self::BLOCK)
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn the_larger_places_are_the_fewer_are_made_at_once() {
        assert_eq!(Places::<u32, u64>::BLOCK, 1024);
        assert_eq!(Places::<u32, [u64; 8]>::BLOCK, 256);
        assert_eq!(Places::<u32, [u64; 1 << 17]>::BLOCK, 16);
    }

    #[test]
    fn what_is_noted_of_a_place_is_of_it_alone() {
        let mut places = Places::<u32, [u64; 64]>::new();
        let far = 1_000_000;
        places.make(far);
        for place in [far, far + 1] {
            assert!(places.find(place).is_some());
            assert!(places.find_with_key(place).is_none());
        }
        assert!(places.find(0).is_none() && places.desk(0).is_none());
        places.set_key(far, Some(7));
        places.desk(far).unwrap().set(Note::Vacant, true);
        assert!(places.find_with_key(far).is_some() && places.find_with_key(far + 1).is_none());
        assert!(places.desk(far).unwrap().has(Note::Vacant));
        assert!(!places.desk(far + 1).unwrap().has(Note::Vacant));
        // All that was made before stays where it is, and as it was.
        let place = places.find(far);
        places.make(far + 5_000);
        assert_eq!(places.find(far), place);
        assert!(places.find_with_key(far).is_some());
    }
}
