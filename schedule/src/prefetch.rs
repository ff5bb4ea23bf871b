//! Asks for memory before it is needed.
//!
//! Invariant: a prefetch is a hint. It reads nothing that a program could notice, and never faults, whatever the address.
#![cfg_attr(
    all(target_arch = "x86_64", not(miri)),
    expect(unsafe_code, reason = "calls an intrinsic of the processor")
)]

/// Bytes of a cache line, as prefetches go.
const LINE: usize = 64;
/// So much of a value is asked for at most: what is larger is seldom used as a whole.
const MOST_LINES: usize = 4;

/// Brings a value near, where the processor has a way to ask for that.
///
/// After a pause the caches hold other things, and a system that takes a microsecond waits for its own state for a fifth of
/// that. Asked for while the system before it runs, it is there in time.
#[inline(always)]
pub fn prefetch<T: ?Sized>(value: &T) {
    let start: *const u8 = core::ptr::from_ref(value).cast();
    let n_lines = size_of_val(value).div_ceil(LINE).min(MOST_LINES);
    for line in 0..n_lines {
        prefetch_line(start.wrapping_add(LINE * line));
    }
}

/// The same for a value that this thread will write, and that another has written: it comes over once, not to be read
/// first and taken away from the other then.
#[inline(always)]
pub fn prefetch_to_write<T: ?Sized>(value: &T) {
    let start: *const u8 = core::ptr::from_ref(value).cast();
    let n_lines = size_of_val(value).div_ceil(LINE).min(MOST_LINES);
    for line in 0..n_lines {
        prefetch_line_to_write(start.wrapping_add(LINE * line).cast());
    }
}

/// The line at an address, to be read; any address.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
pub fn prefetch_line(address: *const u8) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: every x86-64 processor has it.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
}

/// The line at an address, to be written; any address.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
pub fn prefetch_line_to_write(address: *const ()) {
    // The intrinsic becomes that of reading where the compiler may not take for granted that there is another one.
    // SAFETY: a hint, and nothing at all on a processor that does not know it.
    unsafe {
        core::arch::asm!("prefetchw [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
}

/// Nothing: there is no way that needs no nightly compiler.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline(always)]
pub fn prefetch_line(_: *const u8) {}

/// Nothing: as above.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline(always)]
pub fn prefetch_line_to_write(_: *const ()) {}
