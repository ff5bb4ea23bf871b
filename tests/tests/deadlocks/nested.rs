//! Requests for help that reach a thread while it executes another job.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};

use rayon::ThreadPool;
use schedule::Executor;
use schedule::prelude::*;
use schedule_stream::internal::{ProcessingMode, set_mode};
use schedule_stream::prelude::*;
use schedule_tests::child::Child;

use crate::callers::compute;
use schedule_tests::on::{On, own_pool, seem_long};

/// Each run needs several thread switches, which take long on a busy machine.
const N_RUNS: usize = 60;

thread_local!(static IS_WAITING: Cell<bool> = const { Cell::new(false) });

/// One thread of the pool waits in a job for another job, and meanwhile executes other jobs. Ends when `end` is reached.
struct Waiting {
    end: Arc<Barrier>,
}

impl Waiting {
    fn begin(pool: &ThreadPool) -> Self {
        let (begun, end) = (Arc::new(Barrier::new(3)), Arc::new(Barrier::new(2)));
        let (here, elsewhere) = (Arc::clone(&begun), Arc::clone(&begun));
        let to_end = Arc::clone(&end);
        pool.spawn(move || {
            IS_WAITING.set(true);
            rayon::join(
                || here.wait(),
                || {
                    elsewhere.wait();
                    to_end.wait();
                },
            );
            IS_WAITING.set(false);
        });
        begun.wait();
        Self { end }
    }

    fn end(self) {
        self.end.wait();
    }
}

/// A pause of varying length, so that helpers leave between some runs.
fn pause(nth: usize) {
    (0..nth % 4).for_each(|_| compute());
}

/// Each run needs a helper, while one of three threads waits in a job and another one is busy.
fn meet_in_systems(on: On) {
    let pool = own_pool(3);
    let is_over = Arc::new(AtomicBool::new(true));
    let meeting = Arc::new(Barrier::new(2));
    let mut builder = Schedule::builder();
    for _ in 0..2 {
        let (is_over, meeting) = (Arc::clone(&is_over), Arc::clone(&meeting));
        builder.add_closure("meets", move || {
            assert!(!IS_WAITING.get(), "a system runs inside of another job");
            if !is_over.load(Ordering::Relaxed) {
                meeting.wait();
            }
        });
    }
    let mut schedule = builder.build().unwrap();
    on.set(&mut schedule);
    if let On::Threads(_) = on {
        schedule.set_executor(Executor::Parallel);
    }
    schedule.set_pool(Arc::clone(&pool));
    let mut resources = Resources::new();
    // The pool helped before it had other jobs.
    on.run(&mut schedule, &mut resources).unwrap();
    let waiting = Waiting::begin(&pool);
    is_over.store(false, Ordering::Relaxed);
    for nth in 0..N_RUNS {
        println!("run {nth}");
        if let On::Timetabled(_) = on {
            // Measurements of systems that wait for each other can vary so much that `Auto` uses one thread.
            seem_long(&mut schedule);
        }
        schedule.run(&mut resources).unwrap();
        pause(nth);
    }
    waiting.end();
}

#[test]
fn idle_thread_helps_a_run_if_the_requested_one_waits() {
    for on in [On::Threads(3), On::Timetabled(2)] {
        Child::new(|| meet_in_systems(on))
            .label(format!("{on:?}"))
            .times(3)
            .run();
    }
}

#[derive(Debug, Record)]
#[record(id = u32)]
struct Page(u32);

#[derive(Debug, Event)]
#[event(meet)]
struct Meet(u32, Option<Arc<Barrier>>);

#[handler]
fn meet(event: &Meet, #[key(event.0)] page: &mut Page) {
    assert!(!IS_WAITING.get(), "a handler runs inside of another job");
    if let Some(meeting) = &event.1 {
        meeting.wait();
    }
    page.0 += 1;
}

fn meet_in_handlers(processing: ProcessingMode) {
    let pool = own_pool(3);
    let meeting = Arc::new(Barrier::new(2));
    let mut stream = Stream::new();
    set_mode(&mut stream, processing);
    stream.set_pool(Arc::clone(&pool));
    let mut resources = Resources::new();
    resources.insert(Records::from_iter((0..2).map(|id| (id, Page(0)))));
    let outcomes = |outcome: Outcome<Meet>| assert!(outcome.is_applied());
    let first = (0..100).map(|nth| Meet(nth % 2, None));
    stream.process(&mut resources, first, outcomes).unwrap();
    let waiting = Waiting::begin(&pool);
    for nth in 0..N_RUNS {
        let events = [0, 1].map(|id| Meet(id, Some(Arc::clone(&meeting))));
        println!("call {nth}");
        stream.process(&mut resources, events, outcomes).unwrap();
        pause(nth);
    }
    waiting.end();
}

#[test]
fn idle_thread_helps_a_stream_if_a_waiting_one_was_requested() {
    for processing in [ProcessingMode::Queues, ProcessingMode::Tickets] {
        Child::new(|| meet_in_handlers(processing))
            .label(format!("{processing:?}"))
            .times(3)
            .run();
    }
}
