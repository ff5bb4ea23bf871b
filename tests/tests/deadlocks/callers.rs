//! A caller that waits in `run` or in `process` does not run other jobs of its pool.

use std::sync::{Arc, Mutex, mpsc};

use rayon::ThreadPool;
use schedule::prelude::*;
use schedule_stream::internal::{ProcessingMode, set_mode};
use schedule_stream::prelude::*;
use schedule_tests::child::Child;

use schedule_tests::on::{On, own_pool};

/// More jobs than there are threads in the pool.
const N_JOBS: usize = 200;

/// Computes for about ten microseconds, or longer without optimisation.
pub(crate) fn compute() {
    let sum = (0..2_000_u64).fold(0, |sum, n| std::hint::black_box(sum ^ n));
    std::hint::black_box(sum);
}

/// Spawns jobs into a pool that all run `job` on one value under a lock, and waits for them.
fn under_one_lock<T: Send + 'static>(
    pool: &ThreadPool,
    value: T,
    job: impl Fn(&mut T) + Clone + Send + 'static,
) {
    let value = Arc::new(Mutex::new(value));
    let (sender, ends) = mpsc::channel();
    for _ in 0..N_JOBS {
        let (value, job, sender) = (Arc::clone(&value), job.clone(), sender.clone());
        pool.spawn(move || {
            job(&mut value.lock().unwrap());
            sender.send(()).unwrap();
        });
    }
    drop(sender);
    assert_eq!(ends.iter().count(), N_JOBS);
}

#[test]
fn jobs_that_run_one_schedule_under_a_lock_end() {
    for on in [On::Threads(2), On::Timetabled(2)] {
        let case = || {
            let mut builder = Schedule::builder();
            for _ in 0..8 {
                builder.add_closure("computes", compute);
            }
            let mut schedule = builder.build().unwrap();
            on.set(&mut schedule);
            let value = (schedule, Resources::new());
            under_one_lock(&on.pool(), value, move |(schedule, resources)| {
                on.run(schedule, resources).unwrap();
            });
        };
        Child::new(case).label(format!("{on:?}")).times(8).run();
    }
}

#[derive(Debug, Record)]
#[record(id = u32)]
struct Page(u64);

#[derive(Debug, Event)]
#[event(turn)]
struct Turn(u32);

#[handler]
fn turn(event: &Turn, #[key(event.0)] page: &mut Page) {
    compute();
    page.0 += 1;
}

#[test]
fn jobs_that_process_events_of_one_stream_under_a_lock_end() {
    for processing in [
        ProcessingMode::Lanes,
        ProcessingMode::Queues,
        ProcessingMode::Tickets,
    ] {
        let case = || {
            let pool = own_pool(2);
            let mut stream = Stream::new();
            set_mode(&mut stream, processing);
            stream.set_pool(Arc::clone(&pool));
            let mut resources = Resources::new();
            resources.insert(Records::from_iter((0..8).map(|id| (id, Page(0)))));
            let value = (stream, resources);
            under_one_lock(&pool, value, |(stream, resources)| {
                let events = (0..64).map(|nth| Turn(nth % 8));
                let outcomes = |outcome: Outcome<Turn>| assert!(outcome.is_applied());
                stream.process(resources, events, outcomes).unwrap();
            });
        };
        Child::new(case)
            .label(format!("{processing:?}"))
            .times(3)
            .run();
    }
}
