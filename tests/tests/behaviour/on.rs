//! The executors, on each of which a schedule comes to the same.

use std::sync::{Arc, OnceLock};

use rayon::{ThreadPool, ThreadPoolBuilder};
use schedule::prelude::*;
use schedule::report::{Profile, SystemCost};
use schedule::{Executor, RunError};

/// What a schedule runs on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum On {
    Serial,
    /// Whatever a schedule runs on that was told nothing.
    Auto,
    /// In parallel, on a pool of so many threads, one of which the caller takes the place of.
    Threads(usize),
    /// The same by timetable, if there can be one: that has no loops, and lanes with something to do for two threads.
    Timetabled(usize),
}

/// Nanoseconds: what systems seem to take that are to run by timetable.
const LONG: u32 = 100_000_000;

impl On {
    /// All of them. One under Miri, which takes a second for a parallel run: [`On::PARALLEL`] is for what it is to see.
    pub(crate) const ALL: &[On] = if cfg!(miri) {
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

    /// All of them, and one of each kind under Miri: for what runs a few times.
    pub(crate) const EACH: &[On] = if cfg!(miri) {
        &[On::Serial, On::Threads(2), On::Timetabled(2)]
    } else {
        On::ALL
    };

    /// Those with a pool, for which it is said how they run.
    pub(crate) const PARALLEL: &[On] = if cfg!(miri) {
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

    /// Lets the schedule run on it from now on. By timetable it does so for some runs, until it is known that systems do
    /// not take as long as they seem to: for more of them there is [`run`](On::run).
    pub(crate) fn set(self, schedule: &mut Schedule) {
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

    /// Runs a schedule that was [`set`](On::set) to run on it.
    ///
    /// By timetable, it runs by one of them several times, and then by a new one.
    pub(crate) fn run(
        self,
        schedule: &mut Schedule,
        resources: &mut Resources,
    ) -> Result<(), RunError> {
        if let On::Timetabled(_) = self {
            let profile = schedule.profile();
            let mut costs = profile.iter().flat_map(|profile| &profile.costs);
            if costs.any(|cost| cost.ns < LONG / 4) {
                seem_long(schedule);
            }
        }
        schedule.run(resources)
    }

    /// The pool that it takes helpers from, or one that it does not use.
    pub(crate) fn pool(self) -> Arc<ThreadPool> {
        match self {
            On::Serial | On::Auto => shared_pool(2),
            On::Threads(n_threads) | On::Timetabled(n_threads) => shared_pool(n_threads),
        }
    }
}

/// Says of all systems of a schedule that they take so long that several threads are worth it.
pub(crate) fn seem_long(schedule: &mut Schedule) {
    let mut profile = Profile {
        schedule: schedule.name().to_string(),
        costs: Vec::new(),
    };
    // What refuses an empty profile names all that should be in it.
    if let Err(error) = schedule.set_profile(&profile) {
        let cost = |system| SystemCost::new(system, LONG);
        profile.costs = error.unknown.into_iter().map(cost).collect();
        schedule.set_profile(&profile).unwrap();
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
