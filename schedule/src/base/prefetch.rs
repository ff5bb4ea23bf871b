//! Prefetching: loads memory into the caches before it is needed.
//!
//! Invariant: a prefetch is a hint. It has no effect that a program can observe, and never faults, whatever the
//! address.
#![cfg_attr(
    all(target_arch = "x86_64", not(miri)),
    expect(unsafe_code, reason = "calls an intrinsic of the processor")
)]

/// The size of a cache line in bytes.
const LINE: usize = 64;
/// The maximum number of lines to prefetch. Larger values are rarely used as a whole.
const MOST_LINES: usize = 4;

/// Prefetches a value for reading, on processors that support it.
///
/// After a pause the caches are cold. If the state of a system is prefetched while the previous system runs, the system
/// need not wait for it.
#[inline(always)]
pub fn prefetch<T: ?Sized>(value: &T) {
    let start: *const u8 = core::ptr::from_ref(value).cast();
    let n_lines = size_of_val(value).div_ceil(LINE).min(MOST_LINES);
    for line in 0..n_lines {
        prefetch_line(start.wrapping_add(LINE * line));
    }
}

/// Prefetches a value for writing. If another thread wrote the value last, its cache lines are fetched once instead of
/// twice: for reading, and then for writing.
#[inline(always)]
pub fn prefetch_to_write<T: ?Sized>(value: &T) {
    let start: *const u8 = core::ptr::from_ref(value).cast();
    let n_lines = size_of_val(value).div_ceil(LINE).min(MOST_LINES);
    for line in 0..n_lines {
        prefetch_line_to_write(start.wrapping_add(LINE * line).cast());
    }
}

/// Prefetches the cache line at any address, for reading.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
pub fn prefetch_line(address: *const u8) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: every x86-64 processor supports this instruction. By the invariant, any address is allowed.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
}

/// Prefetches the cache line at any address, for writing.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
pub fn prefetch_line_to_write(address: *const ()) {
    // The intrinsic compiles to a prefetch for reading, unless the compiler may assume that the processor supports
    // `prefetchw`.
    // SAFETY: by the invariant any address is allowed. Processors that do not support `prefetchw` treat it as a no-op.
    unsafe {
        core::arch::asm!("prefetchw [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
}

/// Does nothing: on this target, prefetching needs a nightly compiler.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline(always)]
pub fn prefetch_line(_: *const u8) {}

/// Does nothing, as above.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline(always)]
pub fn prefetch_line_to_write(_: *const ()) {}
