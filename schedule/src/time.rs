//! A monotonic clock on all targets.
//!
//! `std::time::Instant::now` panics on `wasm32-unknown-unknown`, which has neither a clock nor threads. There, [`Instant`] reads
//! the source of [`set_time_source`], and stands still until there is one. Nothing else in this crate reads a clock.

use core::time::Duration;

#[cfg(any(test, all(target_family = "wasm", target_os = "unknown")))]
#[cfg_attr(
    not(all(target_family = "wasm", target_os = "unknown")),
    expect(unreachable_pub, reason = "elsewhere, only tests name it")
)]
mod given;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use self::given::Instant;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

/// Whether the target can have more threads than the one that calls.
pub const HAS_THREADS: bool = !cfg!(all(target_family = "wasm", target_os = "unknown"));

/// Whether [`Instant`] moves on.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) fn has_clock() -> bool {
    given::has_source()
}

/// Whether [`Instant`] moves on.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
#[inline(always)]
pub(crate) const fn has_clock() -> bool {
    true
}

/// Sets where the time comes from on `wasm32-unknown-unknown`, which has no clock. On other targets it does nothing.
///
/// `now` returns the time since any fixed moment, and must not go backwards. In a browser that is `performance.now()`.
/// Only the first call has an effect; call it before anything runs.
///
/// Without a source, schedules and streams give the same results, but nothing is timed:
///
/// - [`Executor::Auto`](crate::Executor::Auto) runs as [`Executor::Serial`](crate::Executor::Serial).
/// - [`Schedule::record`](crate::Schedule::record) has the order of what ran, with durations of zero.
/// - [`Clock::tick`](crate::Clock::tick) does not move the clock. Use [`Clock::advance`](crate::Clock::advance) with the time
///   since the last frame, as the host measures it.
///
/// ```
/// use core::time::Duration;
///
/// fn now() -> Duration {
///     // With `web_sys`: `Duration::from_secs_f64(window.performance().unwrap().now() / 1000.0)`.
///     Duration::ZERO
/// }
///
/// schedule::rate::set_time_source(now);
/// ```
pub fn set_time_source(now: fn() -> Duration) {
    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    given::set_source(now);
    let _ = now;
}
