//! The executors, all of which must produce the same results.

#![allow(missing_docs, reason = "only tests use it")]

use std::sync::{Arc, OnceLock};

use rayon::{ThreadPool, ThreadPoolBuilder};
use schedule::prelude::*;
use schedule::report::{Profile, SystemCost};
use schedule::{Executor, RunError};

/// The executor of a schedule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum On {
    Serial,
    /// The default executor.
    Auto,
    /// The parallel executor, with a pool of this many threads, one of which the caller replaces.
    Threads(usize),
    /// Like `Threads`, but by timetable. Requires a schedule without loops, and enough work for two threads.
    Timetabled(usize),
}

/// The cost in nanoseconds that systems get in order to run by timetable.
const LONG: u32 = 100_000_000;

impl On {
    /// All executors. Under Miri, only one, because a parallel run takes about a second there. Use [`On::PARALLEL`] for tests that need
    /// more.
    pub const ALL: &[On] = if cfg!(miri) {
        &[On::Serial]
    } else {
        &[
            On::Serial,
            On::Auto,
            On::Threads(1),
            On::Threads(2),
            On::Threads(4),
            On::Timetabled(2),
            On::Timetabled(4),
        ]
    };

    /// All executors, or one of each kind under Miri. For tests with few runs.
    pub const EACH: &[On] = if cfg!(miri) {
        &[On::Serial, On::Threads(2), On::Timetabled(2)]
    } else {
        On::ALL
    };

    /// The executors with a fixed mode and a pool.
    pub const PARALLEL: &[On] = if cfg!(miri) {
        &[On::Threads(2), On::Timetabled(2)]
    } else {
        &[
            On::Threads(1),
            On::Threads(2),
            On::Threads(4),
            On::Timetabled(2),
            On::Timetabled(4),
        ]
    };

    /// Sets this executor. A schedule runs by timetable only until measurements contradict the costs. Use [`run`](On::run) for a larger
    /// number of such runs.
    pub fn set(self, schedule: &mut Schedule) {
        schedule.set_executor(match self {
            On::Serial => Executor::Serial,
            On::Auto | On::Timetabled(_) => Executor::Auto,
            On::Threads(_) => Executor::Parallel,
        });
        if let On::Threads(n_threads) | On::Timetabled(n_threads) = self {
            schedule.set_pool(shared_pool(n_threads));
        }
        if let On::Timetabled(_) = self {
            seem_long(schedule);
        }
    }

    /// Runs a schedule for which [`set`](On::set) was called.
    ///
    /// By timetable, it replaces the timetable after several runs.
    pub fn run(self, schedule: &mut Schedule, resources: &mut Resources) -> Result<(), RunError> {
        if let On::Timetabled(_) = self {
            let profile = schedule.profile();
            let mut costs = profile.iter().flat_map(|profile| &profile.costs);
            if costs.any(|cost| cost.ns < LONG / 4) {
                seem_long(schedule);
            }
        }
        schedule.run(resources)
    }

    /// Returns the pool of its helpers, or a pool that it does not use.
    pub fn pool(self) -> Arc<ThreadPool> {
        match self {
            On::Serial | On::Auto => shared_pool(2),
            On::Threads(n_threads) | On::Timetabled(n_threads) => shared_pool(n_threads),
        }
    }
}

/// Sets the costs of all systems so high that the schedule uses several threads.
pub fn seem_long(schedule: &mut Schedule) {
    let mut profile = Profile {
        schedule: schedule.name().to_string(),
        costs: Vec::new(),
    };
    // The error of an empty profile contains the names of all systems.
    if let Err(error) = schedule.set_profile(&profile) {
        let cost = |system| SystemCost::new(system, LONG);
        profile.costs = error.unknown.into_iter().map(cost).collect();
        schedule.set_profile(&profile).unwrap();
    }
}

/// Returns the shared pool with this many threads. Systems that wait for each other need their own pool. In a shared pool, they could wait
/// for threads that run another test.
pub fn shared_pool(n_threads: usize) -> Arc<ThreadPool> {
    static POOLS: [OnceLock<Arc<ThreadPool>>; 5] = [const { OnceLock::new() }; 5];
    Arc::clone(POOLS[n_threads].get_or_init(|| own_pool(n_threads)))
}

/// Returns a new pool with this many threads.
pub fn own_pool(n_threads: usize) -> Arc<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(n_threads).build();
    Arc::new(pool.unwrap())
}
