//! A thread that waits in the `par_iter` of one system does not start another system. So systems may hold locks and initialize lazy values
//! while they call rayon.

use std::sync::{Arc, LazyLock, Mutex};

use rayon::prelude::*;
use schedule::Executor;
use schedule::prelude::*;
use schedule_stream::internal::{ProcessingMode, set_mode};
use schedule_stream::prelude::*;
use schedule_tests::child::Child;

use crate::callers::compute;
use schedule_tests::on::{On, own_pool, seem_long};

/// Number of processes. A single process usually shows the error, and all of them together almost certainly do.
const N_PROCESSES: usize = 8;

/// Computes a sum on several threads of the pool, with several levels of waiting.
fn sum_together() -> u64 {
    fn sum(depth: u32) -> u64 {
        match depth {
            0 => {
                (0..3).for_each(|_| compute());
                1
            }
            _ => (0..4).into_par_iter().map(|_| sum(depth - 1)).sum(),
        }
    }
    sum(4)
}

static TABLE: LazyLock<u64> = LazyLock::new(sum_together);
static LOCK: Mutex<u64> = Mutex::new(0);

fn use_table() {
    assert_eq!(*TABLE, 256);
}

fn use_lock() {
    let mut total = LOCK.lock().unwrap();
    *total += sum_together();
}

/// The place where `run` or `process` is called, and the pool that provides helpers.
#[derive(Clone, Copy, Debug)]
enum Caller {
    /// Outside of all pools, with the default pool.
    Outside,
    /// On a worker of the pool that provides helpers.
    Installed,
    /// Outside of all pools, with a pool that was set.
    SetPool,
}

impl Caller {
    const ALL: [Self; 3] = [Self::Outside, Self::Installed, Self::SetPool];
}

fn run(system: fn(), on: On, caller: Caller, n_threads: usize, n_runs: usize) {
    let mut builder = Schedule::builder();
    for _ in 0..6 {
        builder.add_closure("uses", system);
    }
    let mut schedule = builder.build().unwrap();
    match on {
        On::Timetabled(_) => seem_long(&mut schedule),
        _ => schedule.set_executor(Executor::Parallel),
    }
    let mut resources = Resources::new();
    let mut run = || (0..n_runs).for_each(|_| on.run(&mut schedule, &mut resources).unwrap());
    match caller {
        Caller::Outside => run(),
        Caller::Installed => own_pool(n_threads).install(run),
        Caller::SetPool => {
            schedule.set_pool(own_pool(n_threads));
            for _ in 0..n_runs {
                on.run(&mut schedule, &mut resources).unwrap();
            }
        }
    }
}

#[test]
fn lazy_value_that_uses_rayon_is_initialised_in_the_first_run() {
    for n_threads in [4, 8] {
        for on in [On::Threads(n_threads), On::Timetabled(n_threads)] {
            for caller in Caller::ALL {
                Child::new(|| run(use_table, on, caller, n_threads, 1))
                    .label(format!("{on:?}, {caller:?}"))
                    .env("RAYON_NUM_THREADS", n_threads)
                    .times(N_PROCESSES)
                    .run();
            }
        }
    }
}

#[test]
fn systems_may_hold_a_lock_over_a_rayon_call() {
    for n_threads in [4, 8] {
        for on in [On::Threads(n_threads), On::Timetabled(n_threads)] {
            for caller in Caller::ALL {
                Child::new(|| run(use_lock, on, caller, n_threads, 5))
                    .label(format!("{on:?}, {caller:?}"))
                    .env("RAYON_NUM_THREADS", n_threads)
                    .run();
            }
        }
    }
}

#[derive(Debug, Record)]
#[record(id = u32)]
struct Account(u64);

#[derive(Debug, Event)]
enum Entry {
    #[event(look_up)]
    LookUp(LookUp),
    #[event(add)]
    Add(Add),
}

#[derive(Debug)]
struct LookUp(u32);

#[handler]
fn look_up(event: &LookUp, #[key(event.0)] account: &mut Account) {
    account.0 += *TABLE;
}

#[derive(Debug)]
struct Add(u32);

#[handler]
fn add(event: &Add, #[key(event.0)] account: &mut Account) {
    use_lock();
    account.0 += 256;
}

fn process(processing: ProcessingMode, caller: Caller, n_threads: usize, entry: fn(u32) -> Entry) {
    let mut stream = Stream::new();
    set_mode(&mut stream, processing);
    let mut resources = Resources::new();
    resources.insert(Records::from_iter((0..8).map(|id| (id, Account(0)))));
    let pool = own_pool(n_threads);
    if let Caller::SetPool = caller {
        stream.set_pool(Arc::clone(&pool));
    }
    let mut process = || {
        let outcomes = |outcome: Outcome<Entry>| assert!(outcome.is_applied());
        let events = (0..32).map(|nth| entry(nth % 8));
        stream.process(&mut resources, events, outcomes).unwrap();
    };
    match caller {
        Caller::Installed => pool.install(process),
        _ => process(),
    }
    let accounts = resources.get::<Records<Account>>().unwrap();
    assert!(accounts.iter().all(|(_, account)| account.0 == 4 * 256));
}

const SEVERAL_AT_ONCE: [ProcessingMode; 3] = [
    ProcessingMode::Lanes,
    ProcessingMode::Queues,
    ProcessingMode::Tickets,
];

#[test]
fn lazy_value_that_uses_rayon_is_initialised_by_a_handler() {
    for processing in SEVERAL_AT_ONCE {
        for caller in Caller::ALL {
            Child::new(|| process(processing, caller, 4, |id| Entry::LookUp(LookUp(id))))
                .label(format!("{processing:?}, {caller:?}"))
                .env("RAYON_NUM_THREADS", 4)
                .times(N_PROCESSES)
                .run();
        }
    }
}

#[test]
fn handlers_may_hold_a_lock_over_a_rayon_call() {
    for processing in SEVERAL_AT_ONCE {
        for caller in Caller::ALL {
            Child::new(|| process(processing, caller, 4, |id| Entry::Add(Add(id))))
                .label(format!("{processing:?}, {caller:?}"))
                .env("RAYON_NUM_THREADS", 4)
                .times(2)
                .run();
        }
    }
}
