//! Conversion between times of a timer and times of a clock.

use core::time::Duration;

/// A moment, as a time of the clock and of the timer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Epoch {
    clock: Duration,
    timer: Duration,
    /// The latest time of the timer so far.
    latest: Duration,
}

impl Epoch {
    pub(super) fn new(clock: Duration, timer: Duration) -> Self {
        Self {
            clock,
            timer,
            latest: timer,
        }
    }

    /// Converts the current time of the timer. If the timer went backwards, the clock continues from its time.
    pub(super) fn clock_time(&mut self, timer: Duration) -> Duration {
        if timer < self.latest {
            *self = Self::new(self.since(self.latest), timer);
        }
        self.latest = timer;
        self.since(timer)
    }

    fn since(&self, timer: Duration) -> Duration {
        self.clock.saturating_add(timer.saturating_sub(self.timer))
    }

    /// Converts a time of the timer since this moment.
    pub(super) fn to_clock(self, timer: Duration) -> Duration {
        self.since(timer)
    }

    /// Converts a time of the clock.
    pub(super) fn timer_time(&self, clock: Duration) -> Duration {
        self.timer.saturating_add(clock.saturating_sub(self.clock))
    }
}
