//! The time of a driver: the interface, and real time.

use core::time::Duration;

use super::StopToken;
use crate::base::time::{HAS_THREADS, Instant};

/// The time of a [`Driver`](super::Driver), and a way to wait. [`RealTimer`] and [`SimulatedTimer`](super::SimulatedTimer)
/// implement it.
///
/// Clones have the same time.
pub trait Timer: Clone + Send + Sync + 'static {
    /// The time since a fixed moment. It must not go backwards. If it does, the driver's clock continues from its time.
    fn now(&self) -> Duration;

    /// Waits until this time, or until the token is stopped. It may return earlier: the driver then calls it again.
    ///
    /// The driver calls this at least once before each run, also if the time has passed. It must then return at once.
    fn wait_until(&self, time: Duration, stop: &StopToken);

    /// Whether [`wait_until`](Self::wait_until) works.
    fn can_wait(&self) -> bool {
        true
    }
}

/// Real time, from a monotonic clock.
///
/// A thread that sleeps wakes up later than requested. The sleep itself causes no drift: its end is a fixed time. The
/// delay depends on the system and on its load. On Linux:
///
/// - A thread with normal priority has a timer slack: the system can wake it up to 50 µs later. `prctl(PR_SET_TIMERSLACK)` changes it.
/// - A processor in a deep idle state needs 10 to 200 µs to wake up.
/// - Threads with real-time priority (`SCHED_FIFO`) have no timer slack, and wait only for threads of the same or a greater priority.
///
/// [`spin`](Self::spin) avoids the delay, and uses processor time.
///
/// On `wasm32-unknown-unknown`, a driver with this timer cannot wait, and needs
/// [`set_time_source`](crate::rate::set_time_source). Use [`Driver::run_if_due`](super::Driver::run_if_due) there.
#[derive(Clone, Copy, Debug)]
pub struct RealTimer {
    start: Instant,
    spin: Duration,
}

impl RealTimer {
    /// Creates a timer at 0, without active waiting.
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
            spin: Duration::ZERO,
        }
    }

    /// Waits actively for the last part of each pause, for this duration. See [`Driver::spin`](super::Driver::spin).
    pub fn spin(mut self, last: Duration) -> Self {
        self.spin = last;
        self
    }
}

impl Default for RealTimer {
    fn default() -> Self {
        Self::new()
    }
}

impl Timer for RealTimer {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn wait_until(&self, time: Duration, stop: &StopToken) {
        loop {
            let left = time.saturating_sub(self.now());
            if left <= self.spin {
                break;
            }
            stop.wait_timeout(left - self.spin);
            if stop.is_stopped() {
                return;
            }
        }
        while self.now() < time && !stop.is_stopped() {
            core::hint::spin_loop();
        }
    }

    fn can_wait(&self) -> bool {
        HAS_THREADS
    }
}
