//! Preparation of a pool before its threads are asked to help: depths of jobs are measured, and each thread learns its
//! top level (`nesting.rs`).

use core::cell::Cell;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak, mpsc};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::help::{BroadcastJob, PoolJob, call_all, spawn};
use super::nesting::Scale;
use super::processors::start_global_pool;

thread_local! {
    /// Whether the pool of this thread is prepared. Outside of all pools, whether the global pool is.
    static IS_PREPARED: Cell<bool> = const { Cell::new(false) };
}

/// Whether the configured pool of a caller is prepared.
#[derive(Debug, Default)]
pub struct Prepared(bool);

impl Prepared {
    /// Lets all threads of `pool` learn their top levels, unless this was done before. `None`: the pool of this thread.
    ///
    /// A caller does this before each run on several threads: the first system may use the pool, and then its threads
    /// wait in jobs.
    #[inline]
    pub fn prepare(&mut self, pool: Option<&Arc<ThreadPool>>) {
        let is_prepared = match pool {
            Some(_) => core::mem::replace(&mut self.0, true),
            None => IS_PREPARED.replace(true),
        };
        if !is_prepared {
            prepare(pool);
        }
    }
}

#[cold]
fn prepare(pool: Option<&Arc<ThreadPool>>) {
    static ARE_PREPARED: Mutex<Vec<Weak<ThreadPool>>> = Mutex::new(Vec::new());
    static IS_GLOBAL_PREPARED: OnceLock<()> = OnceLock::new();
    if cfg!(miri) {
        return;
    }
    Scale::set(measure);
    match pool {
        Some(pool) => {
            let mut all = ARE_PREPARED.lock().unwrap_or_else(PoisonError::into_inner);
            all.retain(|one| one.strong_count() > 0);
            if all.iter().any(|one| Weak::as_ptr(one) == Arc::as_ptr(pool)) {
                return;
            }
            all.push(Arc::downgrade(pool));
            call_all(Some(pool), BroadcastJob::Learn);
        }
        // Outside of all pools, this is the global pool.
        None if rayon::current_thread_index().is_none() => {
            start_global_pool();
            IS_GLOBAL_PREPARED.get_or_init(|| call_all(None, BroadcastJob::Learn));
        }
        None => call_all(None, BroadcastJob::Learn),
    }
}

/// Measures on a separate thread. The calling thread waits, but runs no other jobs of its pool.
pub(super) fn measure() -> Option<Scale> {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().ok()?;
    let (sender, addresses) = mpsc::channel();
    spawn(Some(&pool), PoolJob::MeasureBoth(sender.clone()));
    let (spawned, nested) = (addresses.recv().ok()?, addresses.recv().ok()?);
    call_all(Some(&pool), BroadcastJob::Measure(sender));
    let broadcast = addresses.recv().ok()?;
    Scale::new(spawned, nested, broadcast)
}
