//! The executors, on each of which a schedule comes to the same.

use std::sync::{Arc, OnceLock};

use rayon::{ThreadPool, ThreadPoolBuilder};
use schedule::Executor;
use schedule::prelude::*;

/// What a schedule runs on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum On {
    Serial,
    /// In parallel, on a pool of so many threads, one of which the caller takes the place of.
    Threads(usize),
}

impl On {
    /// All of them. One under Miri, which takes a second for a parallel run: [`On::PARALLEL`] is for what it is to see.
    pub(crate) const ALL: &[On] = if cfg!(miri) {
        &[On::Serial]
    } else {
        &[On::Serial, On::Threads(1), On::Threads(2), On::Threads(4)]
    };

    /// All but the serial one.
    pub(crate) const PARALLEL: &[On] = if cfg!(miri) {
        &[On::Threads(2)]
    } else {
        &[On::Threads(1), On::Threads(2), On::Threads(4)]
    };

    /// Lets the schedule run on it from now on.
    pub(crate) fn set(self, schedule: &mut Schedule) {
        match self {
            On::Serial => schedule.set_executor(Executor::Serial),
            On::Threads(n_threads) => {
                schedule.set_executor(Executor::Parallel);
                schedule.set_pool(shared_pool(n_threads));
            }
        }
    }
}

/// The pool of this many threads that the tests share. Systems that wait for each other need one of their own: here
/// the threads of another test could be what they wait for.
pub(crate) fn shared_pool(n_threads: usize) -> Arc<ThreadPool> {
    static POOLS: [OnceLock<Arc<ThreadPool>>; 5] = [const { OnceLock::new() }; 5];
    Arc::clone(POOLS[n_threads].get_or_init(|| own_pool(n_threads)))
}

/// A new pool of this many threads.
pub(crate) fn own_pool(n_threads: usize) -> Arc<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(n_threads).build();
    Arc::new(pool.unwrap())
}
