//! Keeps helpers away from the processor of the thread that they help.
//!
//! The operating system often puts a woken thread on the processor of the thread that woke it, because its data may be
//! in that cache. A helper there would take time from the caller, or wait for it, while other processors are idle. So
//! the caller records its processor when it requests help, and yields once. A helper that finds itself on that
//! processor narrows its affinity and widens it again, which moves it. On other systems than Linux, this module does
//! nothing.

#[cfg(not(all(target_os = "linux", feature = "placement", not(any(loom, miri)))))]
pub use self::elsewhere::Placement;
#[cfg(all(target_os = "linux", feature = "placement", not(any(loom, miri))))]
pub use self::linux::Placement;

#[cfg(all(target_os = "linux", feature = "placement", not(any(loom, miri))))]
mod linux {
    use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
    use core::time::Duration;
    use std::thread;
    use std::time::Instant;

    use rustix::thread::{sched_getaffinity, sched_getcpu, sched_setaffinity};

    /// If a yield takes longer than this, another program got the processor.
    const TOO_LONG: Duration = Duration::from_micros(50);
    /// The maximum number of times that the caller does not yield after that.
    const MOST_KEPT: u32 = 1024;

    /// The processor of the caller at its last request. All accesses are relaxed, since a wrong value only costs time.
    #[derive(Debug)]
    pub struct Placement {
        processor: AtomicUsize,
        /// `n_kept`: the number of requests left without a yield. `kept`: its initial value after the last long yield.
        n_kept: AtomicU32,
        kept: AtomicU32,
    }

    impl Placement {
        /// Creates the state of a caller that has not requested help yet.
        #[expect(
            clippy::new_without_default,
            reason = "one way to make it is enough here"
        )]
        pub fn new() -> Self {
            Self {
                processor: AtomicUsize::new(usize::MAX),
                n_kept: AtomicU32::new(0),
                kept: AtomicU32::new(0),
            }
        }

        /// Records the processor of the caller, before it requests help.
        pub fn note(&self) {
            self.processor.store(sched_getcpu(), Ordering::Relaxed);
        }

        /// Yields after a request for help, so that a helper on this processor can start and move. If other programs
        /// use the yielded time, the caller yields less and less often.
        pub fn yield_once(&self) {
            let n_kept = self.n_kept.load(Ordering::Relaxed);
            if n_kept > 0 {
                self.n_kept.store(n_kept - 1, Ordering::Relaxed);
                return;
            }
            let start = Instant::now();
            thread::yield_now();
            let kept = if start.elapsed() > TOO_LONG {
                (4 * self.kept.load(Ordering::Relaxed)).clamp(4, MOST_KEPT)
            } else {
                0
            };
            self.kept.store(kept, Ordering::Relaxed);
            self.n_kept.store(kept, Ordering::Relaxed);
        }

        /// Moves a helper that arrives on the processor of the caller.
        pub fn leave_caller_processor(&self) {
            let here = sched_getcpu();
            if here != self.processor.load(Ordering::Relaxed) {
                return;
            }
            // Errors are ignored, since a wrong processor only costs time.
            let Ok(allowed) = sched_getaffinity(None) else {
                return;
            };
            let mut others = allowed;
            others.unset(here);
            if others.count() > 0 && sched_setaffinity(None, &others).is_ok() {
                let _ = sched_setaffinity(None, &allowed);
            }
        }
    }
}

#[cfg(not(all(target_os = "linux", feature = "placement", not(any(loom, miri)))))]
mod elsewhere {
    /// Does nothing on this platform.
    #[derive(Debug)]
    pub struct Placement;

    impl Placement {
        /// As on Linux, but without effect, like the other functions.
        #[expect(
            clippy::new_without_default,
            reason = "one way to make it is enough here"
        )]
        pub fn new() -> Self {
            Self
        }

        /// As on Linux, but without effect.
        pub fn note(&self) {}

        /// As on Linux, but without effect.
        pub fn yield_once(&self) {}

        /// As on Linux, but without effect.
        pub fn leave_caller_processor(&self) {}
    }
}
