//! Waiting for other threads.

use core::hint::spin_loop;
use core::time::Duration;
use std::thread;

use crate::base::time::Instant;

/// After this time without work, a thread yields its processor between polls. A yield can take longer than most waits between systems of a
/// few microseconds, and a thread notices the end of a wait only after it.
const SPIN: Duration = Duration::from_micros(20);
/// After this time without work, a helper leaves. Returning costs about as much, but its pool may have other work for
/// it, such as a `par_iter` in a system.
pub const HELPER_TIMEOUT: Duration = Duration::from_micros(20);
/// After this time without work, the caller parks.
pub const PARK_AFTER: Duration = Duration::from_micros(50);

/// The number of polls between two looks at the clock, which take longer.
const POLLS_PER_CLOCK: u32 = 16;

/// Polls until `look` finds something. `look` gets the approximate time since the first poll.
#[inline]
pub fn idle<T>(mut look: impl FnMut(Duration) -> Option<T>) -> T {
    for _ in 0..POLLS_PER_CLOCK {
        if let Some(found) = look(Duration::ZERO) {
            return found;
        }
        spin_loop();
    }
    let start = Instant::now();
    loop {
        let since = start.elapsed();
        if since > SPIN {
            thread::yield_now();
        }
        for _ in 0..POLLS_PER_CLOCK {
            if let Some(found) = look(since) {
                return found;
            }
            if since > SPIN {
                break;
            }
            spin_loop();
        }
    }
}
