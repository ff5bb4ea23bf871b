//! Memory blocks with stable addresses: adding a block moves no value.
//!
//! Invariant: a value in a block does not move until its [`Blocks`] is dropped, and blocks are never removed before
//! that. The thread that has the store looks up and adds places, while other threads use the values of places that
//! their events have named. So the value of a place is accessed only through a shared pointer. Footprints determine
//! which thread may access it: see [`footprint`](super::footprint).
#![expect(unsafe_code, reason = "gives access to places with stable addresses")]

use core::cell::UnsafeCell;
use core::mem::needs_drop;
use core::ptr::NonNull;

use schedule::internal::{FirstPanic, drop_part};

/// The approximate size of a block, in bytes, and the minimum and maximum number of its values.
const BLOCK_BYTES: usize = 1 << 15;
const BLOCK_VALUES: [usize; 2] = if cfg!(miri) { [16, 16] } else { [16, 1024] };

/// The memory of a value that may be missing.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct Place<T>(UnsafeCell<Option<T>>);

// SAFETY: a shared place gives no access to its value. `get` and `get_mut` are unsafe, and require that accesses of
// threads do not conflict.
unsafe impl<T: Sync> Sync for Place<T> {}

impl<T> Default for Place<T> {
    fn default() -> Self {
        Self(UnsafeCell::new(None))
    }
}

/// If a value panics while it is dropped, the other places of the block are still dropped.
impl<T> Drop for Place<T> {
    #[inline]
    fn drop(&mut self) {
        if needs_drop::<T>() {
            drop_part(self.0.get_mut().take());
        }
    }
}

impl<T> Place<T> {
    /// Returns the content.
    ///
    /// # Safety
    ///
    /// The place is valid for `'h`, and no thread writes to it for `'h`.
    #[inline(always)]
    pub(crate) unsafe fn get<'h>(place: NonNull<Self>) -> &'h Option<T> {
        // SAFETY: the place is valid for `'h`: the contract of this function.
        let place = unsafe { &raw const (*place.as_ptr()).0 };
        // SAFETY: the place is valid, and nothing writes it for `'h`: the contract of this function.
        unsafe { &*UnsafeCell::raw_get(place) }
    }

    /// Returns the content, mutably.
    ///
    /// # Safety
    ///
    /// The place is valid for `'h`, and no other code uses it for `'h`.
    #[inline(always)]
    pub(crate) unsafe fn get_mut<'h>(place: NonNull<Self>) -> &'h mut Option<T> {
        // SAFETY: the place is valid for `'h`: the contract of this function.
        let place = unsafe { &raw const (*place.as_ptr()).0 };
        // SAFETY: the place is valid, and nothing else uses it for `'h`: the contract of this function.
        unsafe { &mut *UnsafeCell::raw_get(place) }
    }
}

/// Values by index, in blocks. A block exists or not, as a whole.
pub(crate) struct Blocks<T>(
    /// Entry n: the address of value `LEN * n`, if this block exists.
    Vec<Option<NonNull<T>>>,
);

// SAFETY: `Blocks` owns its values, and they are `Send`.
unsafe impl<T: Send> Send for Blocks<T> {}

// SAFETY: a shared `Blocks` only returns addresses. Access to the values needs `unsafe` with its own contract.
unsafe impl<T: Sync> Sync for Blocks<T> {}

impl<T> Blocks<T> {
    /// The number of values in a block, a power of two.
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

    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Returns the block of a value, and its index in the block.
    #[inline(always)]
    const fn split(nth: u32) -> (usize, usize) {
        (nth as usize / Self::LEN, nth as usize % Self::LEN)
    }

    /// Returns the address of a value, if its block exists.
    #[inline(always)]
    pub(crate) fn find(&self, nth: u32) -> Option<NonNull<T>> {
        let (block, nth) = Self::split(nth);
        let first = (*self.0.get(block)?)?;
        // SAFETY: `split` returns an index below `LEN`, and a block has `LEN` values.
        Some(unsafe { first.add(nth) })
    }

    /// Returns the address of a value whose block exists.
    ///
    /// # Safety
    ///
    /// `make` was called for `nth` or another value of its block.
    #[inline(always)]
    pub(crate) unsafe fn find_made(&self, nth: u32) -> NonNull<T> {
        let (block, nth) = Self::split(nth);
        // SAFETY: `make` was called for this block: the contract of this function. So the list has an entry for it.
        let first = unsafe { self.0.get_unchecked(block) };
        // SAFETY: `make` has set the entry, and no entry is ever reset.
        let first = unsafe { first.unwrap_unchecked() };
        // SAFETY: `split` returns an index below `LEN`, and a block has `LEN` values.
        unsafe { first.add(nth) }
    }

    /// Creates the block of a value, if it does not exist.
    pub(crate) fn make(&mut self, nth: u32)
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
            // SAFETY: `make` leaked a `Box<[T]>` of length `LEN` at this address. `drain` has removed it from the list,
            // so it is freed once.
            panics.drop(unsafe { Box::from_raw(block.as_ptr()) });
        }
        panics.resume_from_drop();
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_larger_values_have_fewer_values() {
        assert_eq!(Blocks::<u64>::LEN, 1024);
        assert_eq!(Blocks::<Place<[u64; 8]>>::LEN, 256);
        assert_eq!(Blocks::<[u64; 1 << 17]>::LEN, 16);
        assert_eq!(Blocks::<()>::LEN, 1024);
    }

    #[test]
    fn addresses_of_values_are_stable() {
        let mut blocks = Blocks::<Place<u64>>::new();
        let far = 1_000_000;
        blocks.make(far);
        assert!(blocks.find(0).is_none());
        let place = blocks.find(far).unwrap();
        // SAFETY: this test has the only access to the place.
        *unsafe { Place::get_mut(place) } = Some(7);
        blocks.make(far);
        blocks.make(far + 5_000);
        assert_eq!(blocks.find(far), Some(place));
        // SAFETY: this test has the only access to the place.
        assert_eq!(*unsafe { Place::get(place) }, Some(7));
    }
}
