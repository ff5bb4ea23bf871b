//! Which thread runs on which processor.
//!
//! A thread that is woken is sometimes put on the processor of the one that woke it, while the other idles, and waits
//! there for a tick of 4 ms: medians jump by two. So protocols are compared with every thread on a processor of its
//! own; how they fare without that is measured too.

use std::sync::{Arc, Mutex};

use rayon::{ThreadPool, ThreadPoolBuilder};

use self::system::Thread;

/// The threads that take part, each with its place on one of two processors.
#[derive(Debug)]
pub struct Pinning {
    /// Those that this process may use.
    processors: Vec<usize>,
    threads: Mutex<Vec<(Thread, Seat)>>,
}

/// One of the two processors.
#[derive(Clone, Copy, Debug)]
pub enum Seat {
    /// Where the measuring thread is.
    First,
    /// The other.
    Second,
}

impl Pinning {
    /// Selects two processors that this process may use. Prints a warning if there are fewer. No threads are enrolled yet.
    pub fn of_two() -> Arc<Self> {
        let pinning = Self {
            processors: system::processors(),
            threads: Mutex::new(Vec::new()),
        };
        if !pinning.is_possible() {
            eprintln!("UNPINNED: cannot query the processors, or there are fewer than two");
        }
        Arc::new(pinning)
    }

    /// Whether there are two processors, and threads can be pinned.
    pub fn is_possible(&self) -> bool {
        self.processors.len() >= 2
    }

    /// Whether all is pinned, for each way in which is measured.
    pub fn ways(&self) -> &'static [bool] {
        if self.is_possible() {
            &[true, false]
        } else {
            &[false]
        }
    }

    /// The thread that calls takes part.
    ///
    /// # Panics
    ///
    /// If another thread panicked in here.
    pub fn enrol(&self, seat: Seat) {
        let mut threads = self
            .threads
            .lock()
            .expect("no thread panics while it holds the lock");
        threads.push((system::current(), seat));
    }

    /// A pool with a thread for each of these, which take part.
    ///
    /// # Panics
    ///
    /// If threads cannot be had.
    pub fn pool<const N: usize>(&self, seats: [Seat; N]) -> Arc<ThreadPool> {
        let pool = ThreadPoolBuilder::new().num_threads(N).build();
        let pool = pool.expect("so many threads can be had");
        pool.broadcast(|worker| self.enrol(seats[worker.index()]));
        Arc::new(pool)
    }

    /// Pins every thread to its place, or lets all use every processor.
    ///
    /// # Panics
    ///
    /// If they are to be pinned and that is not possible, or one of them has ended.
    pub fn set(&self, is_pinned: bool) {
        let threads = self
            .threads
            .lock()
            .expect("no thread panics while it holds the lock");
        for &(thread, seat) in threads.iter() {
            if is_pinned {
                system::confine(thread, &[self.processors[seat as usize]]);
            } else {
                system::confine(thread, &self.processors);
            }
        }
    }
}

#[cfg(target_os = "linux")]
mod system {
    use rustix::thread::{CpuSet, Pid, gettid, sched_getaffinity, sched_setaffinity};

    pub(super) type Thread = Pid;

    pub(super) fn current() -> Thread {
        gettid()
    }

    pub(super) fn processors() -> Vec<usize> {
        let allowed = sched_getaffinity(None).unwrap_or_default();
        let all = 0..CpuSet::MAX_CPU;
        all.filter(|&processor| allowed.is_set(processor)).collect()
    }

    pub(super) fn confine(thread: Thread, processors: &[usize]) {
        let mut set = CpuSet::new();
        for &processor in processors {
            set.set(processor);
        }
        sched_setaffinity(Some(thread), &set).expect("the thread lives, and may use these");
    }
}

/// Elsewhere there is no way that needs no `unsafe`.
#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) type Thread = ();

    pub(super) fn current() -> Thread {}

    pub(super) fn processors() -> Vec<usize> {
        Vec::new()
    }

    pub(super) fn confine(_: Thread, _: &[usize]) {}
}
