//! Conversion between times of a timer and times of a clock.

use core::time::Duration;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::timer::Timer;
use crate::base::nanos::Nanos;

/// The conversion that the driver and the threads that measure systems share. So all of them see a timer that goes backwards, and their
/// times of the clock never do.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedEpoch(Arc<Mutex<Option<Epoch>>>);

impl SharedEpoch {
    /// Forgets the conversion. The next call of [`begin`](Self::begin) defines it.
    pub(super) fn end(&self) {
        *self.lock() = None;
    }

    /// Returns the current time of the clock. The first call defines the conversion so that this time is `clock`.
    pub(super) fn begin(&self, clock: Duration, timer: &impl Timer) -> Duration {
        // The lock is held while the timer is read, so that times of other threads do not look as if the timer went backwards.
        let mut epoch = self.lock();
        let now = Nanos::of(timer.now());
        let epoch = epoch.get_or_insert_with(|| Epoch::new(Nanos::of(clock), now));
        epoch.clock_time(now).duration()
    }

    /// Converts a time of the clock. [`begin`](Self::begin) must have been called.
    pub(super) fn timer_time(&self, clock: Duration) -> Duration {
        let epoch = self.lock().unwrap_or_default();
        epoch.timer_time(clock)
    }

    /// Returns the time of the clock during a run.
    pub(super) fn now(&self, timer: &impl Timer) -> Duration {
        self.begin(Duration::ZERO, timer)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Epoch>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A moment, as a time of the clock and of the timer.
#[derive(Clone, Copy, Debug, Default)]
struct Epoch {
    clock: Nanos,
    timer: Nanos,
    /// The latest time of the timer so far.
    latest: Nanos,
}

impl Epoch {
    fn new(clock: Nanos, timer: Nanos) -> Self {
        Self {
            clock,
            timer,
            latest: timer,
        }
    }

    /// Converts the current time of the timer. If the timer went backwards, the clock continues from its time.
    fn clock_time(&mut self, timer: Nanos) -> Nanos {
        if timer < self.latest {
            *self = Self::new(self.since(self.latest), timer);
        }
        self.latest = timer;
        self.since(timer)
    }

    fn since(&self, timer: Nanos) -> Nanos {
        self.clock.plus(timer.minus(self.timer))
    }

    /// Converts a time of the clock.
    fn timer_time(&self, clock: Duration) -> Duration {
        let clock = Nanos::of(clock);
        self.timer.plus(clock.minus(self.clock)).duration()
    }
}
