//! The threads of the contenders.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

use benches::pinning::{Pinning, Seat};
use bevy_tasks::{ComputeTaskPool, TaskPoolBuilder};
use rayon::ThreadPool;

/// The thread pools of the contenders, on two processors. A pool sleeps while other contenders are measured.
pub(crate) struct Pools {
    /// For this project. The calling thread is a worker, so at most one thread of the pool joins it, on the other processor.
    pub(crate) ours: Arc<ThreadPool>,
    /// For all other contenders that use rayon, the manual one included. A caller outside the pool sleeps.
    pub(crate) peers: Arc<ThreadPool>,
}

impl Pools {
    /// The pool of `bevy_ecs` is global. As in rayon, a calling thread sleeps.
    pub(crate) fn new(pinning: &Arc<Pinning>) -> Self {
        pinning.enrol(Seat::First);
        make_bevy_pool(pinning);
        Self {
            ours: pinning.pool([Seat::Second, Seat::Second]),
            peers: pinning.pool([Seat::First, Seat::Second]),
        }
    }
}

fn make_bevy_pool(pinning: &Arc<Pinning>) {
    let seats = [Seat::First, Seat::Second];
    let n_enrolled = AtomicUsize::new(0);
    let all_enrolled = Arc::new(Barrier::new(seats.len() + 1));
    ComputeTaskPool::get_or_init(|| {
        let pinning = Arc::clone(pinning);
        let all_enrolled = Arc::clone(&all_enrolled);
        TaskPoolBuilder::new()
            .num_threads(seats.len())
            .on_thread_spawn(move || {
                // Relaxed: only distinguishes the threads.
                pinning.enrol(seats[n_enrolled.fetch_add(1, Ordering::Relaxed)]);
                all_enrolled.wait();
            })
            .build()
    });
    all_enrolled.wait();
}
