//! Memory that stays where it is while more of it is added.
//!
//! Invariant: what is in a block never moves until its [`Blocks`] is dropped, and a block that was made stays. The thread that
//! has them looks up where something is and adds some, while other threads use what is in a [`Place`] that an event of theirs
//! has named. So what is in a place is touched through a shared pointer only, and footprints determine by which thread: see
//! [`footprint`](super::footprint).
#![expect(unsafe_code, reason = "hands out what stays where it is, by address")]

use core::cell::UnsafeCell;
use core::mem::needs_drop;
use core::ptr::NonNull;

use schedule::internal::{FirstPanic, drop_part};

/// So many bytes are made at once, about; but so many values, at least and at most.
const BLOCK_BYTES: usize = 1 << 15;
const BLOCK_VALUES: [usize; 2] = if cfg!(miri) { [16, 16] } else { [16, 1024] };

/// Where a value is, or may come to be.
#[derive(Debug)]
#[repr(transparent)]
pub(super) struct Place<T>(UnsafeCell<Option<T>>);

// SAFETY: who follows the address of a shared one says that it may.
unsafe impl<T: Sync> Sync for Place<T> {}

impl<T> Default for Place<T> {
    fn default() -> Self {
        Self(UnsafeCell::new(None))
    }
}

/// Several places are dropped in a row, whatever is in them.
impl<T> Drop for Place<T> {
    #[inline]
    fn drop(&mut self) {
        if needs_drop::<T>() {
            drop_part(self.0.get_mut().take());
        }
    }
}

impl<T> Place<T> {
    /// What is in it.
    ///
    /// # Safety
    ///
    /// The place is there for `'h`, and for that long nobody writes to it.
    #[inline(always)]
    pub(super) unsafe fn get<'h>(place: NonNull<Self>) -> &'h Option<T> {
        // SAFETY: the place is valid for `'h`: the contract of this function.
        let place = unsafe { &raw const (*place.as_ptr()).0 };
        // SAFETY: the place is valid, and nothing writes it for `'h`: the contract of this function.
        unsafe { &*UnsafeCell::raw_get(place) }
    }

    /// What is in it, to be changed.
    ///
    /// # Safety
    ///
    /// The place is there for `'h`, and for that long nobody else uses it.
    #[inline(always)]
    pub(super) unsafe fn get_mut<'h>(place: NonNull<Self>) -> &'h mut Option<T> {
        // SAFETY: the place is valid for `'h`: the contract of this function.
        let place = unsafe { &raw const (*place.as_ptr()).0 };
        // SAFETY: the place is valid, and nothing else uses it for `'h`: the contract of this function.
        unsafe { &mut *UnsafeCell::raw_get(place) }
    }
}

/// Values by number; a block of them is there, or none.
pub(super) struct Blocks<T>(
    /// The nth: the first of those from `LEN * n` on.
    Vec<Option<NonNull<T>>>,
);

// SAFETY: it owns what it points to.
unsafe impl<T: Send> Send for Blocks<T> {}

// SAFETY: a shared one gives out addresses only.
unsafe impl<T: Sync> Sync for Blocks<T> {}

impl<T> Blocks<T> {
    /// Values in a block: a power of two.
    const LEN: usize = {
        let [least, most] = BLOCK_VALUES;
        let n = match size_of::<T>() {
            0 => most,
            n_bytes => BLOCK_BYTES / n_bytes,
        };
        if n <= least {
            least
        } else if n >= most {
            most
        } else {
            1 << n.ilog2()
        }
    };

    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    /// The block of a value, and which one it is there.
    #[inline(always)]
    const fn split(nth: u32) -> (usize, usize) {
        (nth as usize / Self::LEN, nth as usize % Self::LEN)
    }

    /// The address of a value, if it was made.
    #[inline(always)]
    pub(super) fn find(&self, nth: u32) -> Option<NonNull<T>> {
        let (block, nth) = Self::split(nth);
        let first = (*self.0.get(block)?)?;
        // SAFETY: a block has so many.
        Some(unsafe { first.add(nth) })
    }

    /// The same.
    ///
    /// # Safety
    ///
    /// It was made.
    #[inline(always)]
    pub(super) unsafe fn find_made(&self, nth: u32) -> NonNull<T> {
        let (block, nth) = Self::split(nth);
        // SAFETY: it was made, so there are so many.
        let first = unsafe { self.0.get_unchecked(block) };
        // SAFETY: it was made.
        let first = unsafe { first.unwrap_unchecked() };
        // SAFETY: a block has so many.
        unsafe { first.add(nth) }
    }

    /// Makes a value, if it was not made, and those near it.
    pub(super) fn make(&mut self, nth: u32)
    where
        T: Default,
    {
        let (block, _) = Self::split(nth);
        if self.0.len() <= block {
            self.0.resize(block + 1, None);
        }
        self.0[block].get_or_insert_with(|| {
            let values: Box<[T]> = (0..Self::LEN).map(|_| T::default()).collect();
            NonNull::from(Box::leak(values)).cast()
        });
    }
}

impl<T> Drop for Blocks<T> {
    fn drop(&mut self) {
        let mut panics = FirstPanic::default();
        for first in self.0.drain(..).flatten() {
            let block = NonNull::slice_from_raw_parts(first, Self::LEN);
            // SAFETY: it came from a box of a slice of that many, and nobody has it any more.
            panics.drop(unsafe { Box::from_raw(block.as_ptr()) });
        }
        panics.resume_from_drop();
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn the_larger_values_are_the_fewer_are_made_at_once() {
        assert_eq!(Blocks::<u64>::LEN, 1024);
        assert_eq!(Blocks::<Place<[u64; 8]>>::LEN, 256);
        assert_eq!(Blocks::<[u64; 1 << 17]>::LEN, 16);
        assert_eq!(Blocks::<()>::LEN, 1024);
    }

    #[test]
    fn what_was_made_stays_where_it_is() {
        let mut blocks = Blocks::<Place<u64>>::new();
        let far = 1_000_000;
        blocks.make(far);
        assert!(blocks.find(0).is_none());
        let place = blocks.find(far).unwrap();
        // SAFETY: nobody else has it.
        *unsafe { Place::get_mut(place) } = Some(7);
        blocks.make(far);
        blocks.make(far + 5_000);
        assert_eq!(blocks.find(far), Some(place));
        // SAFETY: nobody else has it.
        assert_eq!(*unsafe { Place::get(place) }, Some(7));
    }
}
