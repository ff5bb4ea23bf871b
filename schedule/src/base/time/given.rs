//! A clock with a time source that the program provides.

use core::ops::{Add, Sub};
use core::time::Duration;
use std::sync::OnceLock;

static SOURCE: OnceLock<fn() -> Duration> = OnceLock::new();

/// Only the first call has an effect.
pub(super) fn set_source(now: fn() -> Duration) {
    SOURCE.get_or_init(|| now);
}

/// Whether a source was set.
pub(super) fn has_source() -> bool {
    SOURCE.get().is_some()
}

/// Replaces `std::time::Instant`: nanoseconds on the scale of the source. They can be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(i128);

impl Instant {
    /// Returns the time of the source. Constant if no source was set.
    pub fn now() -> Self {
        let now = SOURCE.get().map_or(Duration::ZERO, |now| now());
        Self(nanos(now))
    }

    /// Returns the time since this instant, or 0 if the source went backwards.
    pub fn elapsed(&self) -> Duration {
        Self::now().saturating_duration_since(*self)
    }

    /// The same as `saturating_duration_since`, as in `std`.
    pub fn duration_since(&self, earlier: Self) -> Duration {
        self.saturating_duration_since(earlier)
    }

    /// Returns the time since `earlier`, or 0 if this instant is earlier.
    pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
        let ns = (self.0 - earlier.0).max(0);
        let whole = Duration::from_secs((ns / NANOS_PER_SEC).try_into().unwrap_or(u64::MAX));
        whole.saturating_add(Duration::from_nanos((ns % NANOS_PER_SEC) as u64))
    }
}

const NANOS_PER_SEC: i128 = 1_000_000_000;

/// Cannot overflow: a duration is less than 2^94 ns.
fn nanos(duration: Duration) -> i128 {
    duration.as_nanos() as i128
}

impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0 + nanos(duration))
    }
}

impl Sub<Duration> for Instant {
    type Output = Self;

    fn sub(self, duration: Duration) -> Self {
        Self(self.0 - nanos(duration))
    }
}

impl Sub for Instant {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        self.saturating_duration_since(earlier)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use core::cell::Cell;

    use super::*;

    thread_local! {
        static NOW: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    }

    // One test checks all of this, because all threads share one source.
    #[test]
    fn instant_is_the_time_of_the_source() {
        let stands = Instant::now();
        assert!(!has_source());
        assert_eq!(Instant::now(), stands, "it stands still without a source");
        set_source(|| NOW.get());
        set_source(|| Duration::MAX);
        assert!(has_source());
        NOW.set(Duration::from_millis(1_500));
        assert_eq!(stands.elapsed(), Duration::from_millis(1_500));
        let later = Instant::now();
        NOW.set(Duration::from_millis(1_000));
        assert_eq!(later.elapsed(), Duration::ZERO, "the source went backwards");
        assert_eq!(Instant::now() - later, Duration::ZERO);
        assert_eq!(later.duration_since(Instant::now()).as_millis(), 500);
        let before = Instant::now() - Duration::from_secs(10);
        assert_eq!(before.elapsed(), Duration::from_secs(10), "before 0");
        assert_eq!(before + Duration::from_secs(10), Instant::now());
        NOW.set(Duration::MAX);
        assert_eq!(before.elapsed(), Duration::MAX);
        assert!(before < Instant::now());
    }
}
