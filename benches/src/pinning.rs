//! The assignment of threads to processors.
//!
//! The operating system sometimes places a woken thread on the processor of the thread that woke it, although another
//! processor is idle. The woken thread then waits for a tick of 4 ms, so medians vary by a factor of two. Therefore the
//! benches are measured with each thread pinned to its own processor, and again without pinning.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use rayon::{ThreadPool, ThreadPoolBuilder};

use self::system::Thread;

/// The participating threads, each with one of two processors.
#[derive(Debug)]
pub struct Pinning {
    /// The processors that this process may use.
    processors: Vec<usize>,
    is_pinned: AtomicBool,
    threads: Mutex<Vec<(Thread, Seat)>>,
}

/// One of the two processors.
#[derive(Clone, Copy, Debug)]
pub enum Seat {
    /// The processor of the measuring thread.
    First,
    /// The other processor.
    Second,
}

impl Pinning {
    /// Selects two processors that this process may use. Prints a warning if there are fewer. No threads are enrolled yet.
    pub fn of_two() -> Arc<Self> {
        let pinning = Self {
            processors: system::processors(),
            is_pinned: AtomicBool::new(false),
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

    /// The settings that are measured: whether threads are pinned.
    pub fn ways(&self) -> &'static [bool] {
        if self.is_possible() {
            &[true, false]
        } else {
            &[false]
        }
    }

    /// Adds the calling thread.
    ///
    /// # Panics
    ///
    /// If another thread panicked while it held the lock.
    pub fn enrol(&self, seat: Seat) {
        let mut threads = self
            .threads
            .lock()
            .expect("no thread panics while it holds the lock");
        threads.push((system::current(), seat));
    }

    /// A pool with a thread for each of these places. The threads are added.
    ///
    /// # Panics
    ///
    /// If threads cannot be created.
    pub fn pool<const N: usize>(&self, seats: [Seat; N]) -> Arc<ThreadPool> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(N)
            .build()
            .expect("threads can be created");
        pool.broadcast(|worker| self.enrol(seats[worker.index()]));
        Arc::new(pool)
    }

    /// Calls a function that starts threads, which cannot be added. If threads are pinned, those are pinned to this processor,
    /// because a thread inherits the processors of the thread that starts it.
    ///
    /// # Panics
    ///
    /// If threads cannot be pinned.
    pub fn start<T>(&self, seat: Seat, start: impl FnOnce() -> T) -> T {
        // Relaxed: the flag orders nothing.
        if !self.is_pinned.load(Ordering::Relaxed) {
            return start();
        }
        let own = system::processors();
        system::confine(system::current(), &[self.processors[seat as usize]]);
        let started = start();
        system::confine(system::current(), &own);
        started
    }

    /// Pins every thread to its processor, or lets all threads use every processor.
    ///
    /// # Panics
    ///
    /// If threads cannot be pinned, or one of them has ended.
    pub fn set(&self, is_pinned: bool) {
        // Relaxed: the flag orders nothing.
        self.is_pinned.store(is_pinned, Ordering::Relaxed);
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
        sched_setaffinity(Some(thread), &set)
            .expect("the thread has not ended, and may use these processors");
    }
}

/// Other systems would need `unsafe` code.
#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) type Thread = ();

    pub(super) fn current() -> Thread {}

    pub(super) fn processors() -> Vec<usize> {
        Vec::new()
    }

    pub(super) fn confine(_: Thread, _: &[usize]) {}
}
