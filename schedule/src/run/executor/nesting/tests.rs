use core::sync::atomic::{AtomicU32, Ordering};

use std::sync::{Arc, Mutex, mpsc};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::super::help::{Help, PoolJob, spawn};
use super::super::prepared::{Prepared, measure};
use super::*;

#[test]
fn depths_are_constants_of_the_executable() {
    let scale = measure().unwrap();
    for _ in 0..20 {
        let second = measure().unwrap();
        assert_eq!(scale.to_spawned, second.to_spawned);
    }
}

/// Requests help once from a nested job, and counts the calls.
struct Asks {
    n_helped: AtomicU32,
    n_withdrawn: AtomicU32,
    n_invited: AtomicU32,
    ends: Mutex<mpsc::Sender<()>>,
}

impl Help for Asks {
    fn help(self: Arc<Self>, nth: u32) {
        self.n_helped.fetch_add(1, Ordering::Relaxed);
        if nth == 0 {
            spawn(None, PoolJob::Help(self.clone(), 1));
            rayon::yield_now();
            self.ends.lock().unwrap().send(()).unwrap();
        }
    }

    fn withdraw(&self, nth: u32) -> bool {
        self.n_withdrawn.fetch_add(1, Ordering::Relaxed);
        nth == 0
    }

    fn help_if_needed(self: Arc<Self>) {
        self.n_invited.fetch_add(1, Ordering::Relaxed);
        self.help(0);
    }
}

/// Sends a request to a pool of one thread. Returns the number of calls that helped, withdrew and were invited.
fn ask(pool: &ThreadPool) -> [u32; 3] {
    ask_after(pool, |_| ())
}

/// The same after other jobs. A gate holds the thread until all jobs are in its queue.
fn ask_after(pool: &ThreadPool, spawn_others: impl FnOnce(&ThreadPool)) -> [u32; 3] {
    let (all_there, gate) = mpsc::channel::<()>();
    let (begin, begun) = mpsc::channel();
    pool.spawn(move || {
        begin.send(()).unwrap();
        gate.recv().unwrap();
    });
    // Otherwise the gate could run on top of a broadcast job.
    begun.recv().unwrap();
    spawn_others(pool);
    let (sender, ends) = mpsc::channel();
    let asks = Arc::new(Asks {
        n_helped: AtomicU32::new(0),
        n_withdrawn: AtomicU32::new(0),
        n_invited: AtomicU32::new(0),
        ends: Mutex::new(sender),
    });
    spawn(Some(pool), PoolJob::Help(asks.clone(), 0));
    all_there.send(()).unwrap();
    ends.recv().unwrap();
    [&asks.n_helped, &asks.n_withdrawn, &asks.n_invited].map(|n| n.load(Ordering::Relaxed))
}

fn pool_of_one() -> Arc<ThreadPool> {
    Arc::new(ThreadPoolBuilder::new().num_threads(1).build().unwrap())
}

#[test]
fn job_nested_in_another_job_does_not_help() {
    let pool = pool_of_one();
    Prepared::default().prepare(Some(&pool));
    for _ in 0..3 {
        assert_eq!(ask(&pool), [1, 1, 0]);
    }
}

/// A job with the smallest possible frame.
fn yields() {
    rayon::yield_now();
}

#[test]
fn job_nested_in_the_smallest_spawned_job_does_not_help() {
    let pool = pool_of_one();
    Prepared::default().prepare(Some(&pool));
    for _ in 0..3 {
        assert_eq!(ask_after(&pool, |pool| pool.spawn(yields)), [1, 2, 1]);
    }
}

#[test]
fn job_nested_in_the_smallest_broadcast_job_does_not_help() {
    let pool = pool_of_one();
    Prepared::default().prepare(Some(&pool));
    for _ in 0..3 {
        let broadcast = |pool: &ThreadPool| pool.spawn_broadcast(|_| yields());
        assert_eq!(ask_after(&pool, broadcast), [1, 2, 1]);
    }
}

#[test]
fn thread_with_an_unknown_top_level_is_asked_to_help() {
    Scale::set(measure);
    let pool = pool_of_one();
    assert_eq!(ask(&pool), [1, 2, 1]);
    // The thread knows its top level now.
    assert_eq!(ask(&pool), [1, 1, 0]);
}

#[test]
fn wrong_top_level_is_corrected_when_the_thread_reaches_it() {
    let pool = pool_of_one();
    Prepared::default().prepare(Some(&pool));
    let top = pool.install(|| TOP.get());
    assert_ne!(top, 0);
    pool.install(|| TOP.set(top - 10_000));
    assert_eq!(ask(&pool), [1, 1, 0]);
    assert_eq!(pool.install(|| TOP.get()), top);
}

#[test]
fn other_stack_is_not_mistaken_for_the_top_level() {
    let pool = pool_of_one();
    Prepared::default().prepare(Some(&pool));
    pool.install(|| {
        let top = TOP.get();
        assert!(is_nested(StackAddress(top + 2 * SAME_STACK)));
        assert!(is_nested(StackAddress(top - 2 * SAME_STACK)));
        assert_eq!(TOP.get(), top);
        assert!(!is_nested(StackAddress(top)));
    });
}
