//! Waiting for other threads.

use core::hint::spin_loop;
use core::time::Duration;
use std::thread;

use crate::time::Instant;

/// After this long without work, a thread offers its processor to others.
const SPIN: Duration = Duration::from_micros(2);
/// After this long without work, a helper leaves. To come back costs about as much, but its pool may have other work for
/// it: what a system splits with rayon.
pub const STAY: Duration = Duration::from_micros(20);
/// After this long without work, the caller sleeps.
pub const LINGER: Duration = Duration::from_micros(50);

/// How often a thread looks before it looks at the clock, which takes longer.
const LOOKS: u32 = 16;

/// Looks until something is found, and lets a moment pass in between; `look` is told how long it has been, about.
#[inline]
pub fn idle<T>(mut look: impl FnMut(Duration) -> Option<T>) -> T {
    for _ in 0..LOOKS {
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
        for _ in 0..LOOKS {
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
