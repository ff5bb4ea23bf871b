//! Where helpers run: not on the processor of the thread that they help.
//!
//! A thread that is woken is often put on the processor of the one that woke it, to find its data near: as a helper it then
//! takes the time of the caller, or waits for it, while other processors idle. So the caller says where it is when it asks
//! for help, and gives way once; and a helper that finds itself there goes elsewhere, by narrowing the set of processors
//! that it may use, and at once widening it again. On Linux; elsewhere nothing is done.

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

    /// After this long, it was another program that was given way to.
    const TOO_LONG: Duration = Duration::from_micros(50);
    /// How often the caller does not give way after that, at most.
    const MOST_KEPT: u32 = 1024;

    /// Where a caller was when it last asked for help. Relaxed throughout: to be wrong costs time only.
    #[derive(Debug)]
    pub struct Placement {
        processor: AtomicUsize,
        /// How often it will not give way, and how often it did not after the last time that it took too long.
        n_kept: AtomicU32,
        kept: AtomicU32,
    }

    impl Placement {
        /// A caller that has not asked for help yet.
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

        /// Before the caller asks for help.
        pub fn note(&self) {
            self.processor.store(sched_getcpu(), Ordering::Relaxed);
        }

        /// After the caller has asked for help: if that waits for this processor, it shall see that first. Where other
        /// programs take the turn, it is taken less and less often.
        pub fn give_way(&self) {
            let n_kept = self.n_kept.load(Ordering::Relaxed);
            if n_kept > 0 {
                self.n_kept.store(n_kept - 1, Ordering::Relaxed);
                return;
            }
            let start = Instant::now();
            thread::yield_now();
            let kept = match start.elapsed() > TOO_LONG {
                true => (4 * self.kept.load(Ordering::Relaxed)).clamp(4, MOST_KEPT),
                false => 0,
            };
            self.kept.store(kept, Ordering::Relaxed);
            self.n_kept.store(kept, Ordering::Relaxed);
        }

        /// When help has come.
        pub fn keep_apart(&self) {
            let here = sched_getcpu();
            if here != self.processor.load(Ordering::Relaxed) {
                return;
            }
            // Whatever is not possible is left.
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
    /// Nothing is known.
    #[derive(Debug)]
    pub struct Placement;

    impl Placement {
        /// As on Linux; it has no effect, like the other functions.
        #[expect(
            clippy::new_without_default,
            reason = "one way to make it is enough here"
        )]
        pub fn new() -> Self {
            Self
        }

        /// As on Linux.
        pub fn note(&self) {}

        /// As on Linux.
        pub fn give_way(&self) {}

        /// As on Linux.
        pub fn keep_apart(&self) {}
    }
}
