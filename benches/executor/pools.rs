//! The threads of the contenders.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

use benches::pinning::{Pinning, Seat};
use bevy_tasks::{ComputeTaskPool, TaskPoolBuilder};
use rayon::ThreadPool;

/// All that can run at once on the two processors, for each contender; they sleep while others are measured.
pub(crate) struct Pools {
    /// For this project: whoever calls is a worker, so that at most one of these joins it, on the other processor.
    pub(crate) ours: Arc<ThreadPool>,
    /// For all others that use rayon, by hand too: whoever calls from outside sleeps.
    pub(crate) peers: Arc<ThreadPool>,
}

impl Pools {
    /// The pool of `bevy_ecs` is a global one. As in rayon, whoever calls it sleeps.
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
                // Relaxed: only tells the threads apart.
                pinning.enrol(seats[n_enrolled.fetch_add(1, Ordering::Relaxed)]);
                all_enrolled.wait();
            })
            .build()
    });
    all_enrolled.wait();
}
