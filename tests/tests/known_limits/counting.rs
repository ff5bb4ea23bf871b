//! Counts what is allocated in this process.
//!
//! Invariant: every call is passed to [`System`] unchanged.
#![expect(
    unsafe_code,
    reason = "implements an allocator, which passes all calls on"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes that were allocated so far, in all.
static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
/// Bytes that were freed so far, in all.
static FREED: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: `System` is an allocator, and the counters are not part of what it returns.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size(), Relaxed);
        // SAFETY: the caller keeps to the contract of `alloc`, which is passed on unchanged.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        FREED.fetch_add(layout.size(), Relaxed);
        // SAFETY: the caller keeps to the contract of `dealloc`, and the block comes from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// How many bytes `work` allocates, whether they are freed or not.
pub(crate) fn allocated<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = ALLOCATED.load(Relaxed);
    let result = work();
    (ALLOCATED.load(Relaxed) - before, result)
}

/// How many bytes are allocated and not freed.
pub(crate) fn retained() -> usize {
    ALLOCATED.load(Relaxed) - FREED.load(Relaxed)
}

#[test]
fn what_is_allocated_and_what_is_kept_is_counted() {
    let before = retained();
    let (n_bytes, kept) = allocated(|| {
        drop(Vec::<u8>::with_capacity(1 << 20));
        Vec::<u8>::with_capacity(1 << 24)
    });
    assert!(n_bytes >= (1 << 20) + (1 << 24));
    // Other tests run meanwhile, but allocate less than this.
    assert!(retained() >= before + (1 << 23));
    drop(kept);
}
