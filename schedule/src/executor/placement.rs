//! Where helpers run: not on the processor of the thread that they help.
//!
//! A thread that is woken is often put on the processor of the one that woke it, to find its data near: as a helper it then
//! takes the time of the caller, or waits for it, while other processors idle. So the caller says where it is when it asks
//! for help, and gives way once; and a helper that finds itself there goes elsewhere, by narrowing the set of processors
//! that it may use, and at once widening it again. On Linux; elsewhere nothing is done.

#[cfg(not(all(target_os = "linux", feature = "placement", not(any(loom, miri)))))]
pub(super) use self::elsewhere::Placement;
#[cfg(all(target_os = "linux", feature = "placement", not(any(loom, miri))))]
pub(super) use self::linux::Placement;

#[cfg(all(target_os = "linux", feature = "placement", not(any(loom, miri))))]
mod linux {
    use core::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use rustix::thread::{sched_getaffinity, sched_getcpu, sched_setaffinity};

    /// Where a caller was when it last asked for help.
    #[derive(Debug)]
    pub(in super::super) struct Placement(AtomicUsize);

    impl Placement {
        pub(in super::super) fn new() -> Self {
            Self(AtomicUsize::new(usize::MAX))
        }

        /// Before the caller asks for help. Relaxed: to be wrong costs time only.
        pub(in super::super) fn note(&self) {
            self.0.store(sched_getcpu(), Ordering::Relaxed);
        }

        /// After the caller has asked for help: if that waits for this processor, it shall see that first.
        pub(in super::super) fn give_way(&self) {
            thread::yield_now();
        }

        /// When help has come.
        pub(in super::super) fn keep_apart(&self) {
            let here = sched_getcpu();
            if here != self.0.load(Ordering::Relaxed) {
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
    pub(in super::super) struct Placement;

    impl Placement {
        pub(in super::super) fn new() -> Self {
            Self
        }

        pub(in super::super) fn note(&self) {}

        pub(in super::super) fn give_way(&self) {}

        pub(in super::super) fn keep_apart(&self) {}
    }
}
