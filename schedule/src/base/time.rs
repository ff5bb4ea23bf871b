//! A monotonic clock on all targets.
//!
//! `std::time::Instant::now` panics on `wasm32-unknown-unknown`, which has neither a clock nor threads. There,
//! [`Instant`] uses the function from [`set_time_source`], and does not advance without one. All other code in this
//! crate uses this clock.

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

/// Whether the target supports threads.
pub const HAS_THREADS: bool = !cfg!(all(target_family = "wasm", target_os = "unknown"));

/// Whether [`Instant`] advances.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) fn has_clock() -> bool {
    given::has_source()
}

/// Whether [`Instant`] advances.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
#[inline(always)]
pub(crate) const fn has_clock() -> bool {
    true
}

/// Sets the time source on `wasm32-unknown-unknown`, which has no clock. Has no effect on other targets.
///
/// `now` returns the time since any fixed moment, and must not go backwards. In a browser, use `performance.now()`.
/// Only the first call has an effect. Call it before anything runs.
///
/// Without a source, schedules and streams give the same results, but nothing is timed:
///
/// - [`Executor::Auto`](crate::Executor::Auto) runs as [`Executor::Serial`](crate::Executor::Serial).
/// - [`Schedule::record`](crate::Schedule::record) contains the order of executions, with durations of zero.
/// - [`Clock::tick`](crate::Clock::tick) does not advance the clock. Use [`Clock::advance`](crate::Clock::advance) with
///   the time since the last frame, as the host measures it.
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

/// Returns the time of the system clock since the Unix epoch. 0 if the clock is set to an earlier time, and on
/// `wasm32-unknown-unknown`, which has no clock.
pub fn time_since_epoch() -> Duration {
    if cfg!(all(target_family = "wasm", target_os = "unknown")) {
        return Duration::ZERO;
    }
    let since = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH);
    since.unwrap_or_default()
}
