//! The processors of helpers, if the thread that needs them first is pinned.
//!
//! On Linux, a thread inherits the processors of the thread that starts it. The thread that runs a schedule is often pinned to one
//! processor. If it started the global pool of rayon, the pool would have one thread, on the same processor. So another thread starts the
//! pool. It can use the processors of the main thread, and those that the building thread had when it built the first schedule.
//!
//! A pool that exists already is left as it is. On other systems than Linux, this module does nothing but count threads.

use rayon::ThreadPool;

use crate::base::time;

#[cfg(not(all(target_os = "linux", feature = "placement", not(any(loom, miri)))))]
pub(crate) use self::elsewhere::{note, start_global_pool, use_all};
#[cfg(all(target_os = "linux", feature = "placement", not(any(loom, miri))))]
pub(crate) use self::linux::{note, start_global_pool, use_all};

/// The number of threads that can take part in a run, including the caller. `None`: the pool of this thread. If it is in no pool, this
/// starts the global one.
pub fn n_threads(pool: Option<&ThreadPool>) -> usize {
    match pool {
        _ if !time::HAS_THREADS => 1,
        Some(pool) => pool.current_num_threads(),
        None => {
            start_global_pool();
            rayon::current_num_threads()
        }
    }
}

#[cfg(all(target_os = "linux", feature = "placement", not(any(loom, miri))))]
mod linux {
    use std::process;
    use std::sync::{Once, OnceLock};
    use std::thread;

    use rayon::ThreadPoolBuilder;
    use rustix::thread::{CpuSet, Pid, sched_getaffinity, sched_setaffinity};

    /// The processors of the thread that built the first schedule, at that time.
    static NOTED: OnceLock<CpuSet> = OnceLock::new();

    /// Notes the processors of this thread, unless those of another thread are noted.
    pub(crate) fn note() {
        NOTED.get_or_init(|| sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new()));
    }

    /// Starts the global pool from a thread that can use all processors, if this thread cannot, and if the pool does not exist.
    pub(crate) fn start_global_pool() {
        static IS_STARTED: Once = Once::new();
        if IS_STARTED.is_completed() || rayon::current_thread_index().is_some() {
            return;
        }
        IS_STARTED.call_once(|| {
            let all = all();
            if sched_getaffinity(None).is_ok_and(|own| own == all) {
                // Now, before a pinned thread does it.
                let _ = ThreadPoolBuilder::new().build_global();
                return;
            }
            // Rayon counts the processors of the thread that starts the pool. Errors are ignored: the pool exists, or it is started later,
            // with the processors of this thread.
            let starter = thread::Builder::new()
                .name("schedule pool".to_string())
                .spawn(move || {
                    let _ = sched_setaffinity(None, &all);
                    let _ = ThreadPoolBuilder::new().build_global();
                });
            let _ = starter.map(|starter| starter.join());
        });
    }

    /// Lets this thread use all processors.
    pub(crate) fn use_all() {
        let _ = sched_setaffinity(None, &all());
    }

    /// The processors of the main thread and of this thread, and the noted ones.
    fn all() -> CpuSet {
        let main = i32::try_from(process::id()).ok().and_then(Pid::from_raw);
        let mut all = main
            .and_then(|main| sched_getaffinity(Some(main)).ok())
            .unwrap_or_else(CpuSet::new);
        let own = sched_getaffinity(None).ok();
        let others = [own.as_ref(), NOTED.get()];
        for processor in 0..CpuSet::MAX_CPU {
            let is_set = |set: &CpuSet| set.is_set(processor);
            if others.into_iter().flatten().any(is_set) {
                all.set(processor);
            }
        }
        all
    }
}

#[cfg(not(all(target_os = "linux", feature = "placement", not(any(loom, miri)))))]
mod elsewhere {
    /// Does nothing on this platform, like the other functions.
    pub(crate) fn note() {}

    /// As on Linux, but without effect.
    pub(crate) fn start_global_pool() {}

    /// As on Linux, but without effect.
    pub(crate) fn use_all() {}
}
