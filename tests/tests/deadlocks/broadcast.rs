//! Systems and handlers that wait for all threads of a pool.

use std::sync::Arc;

use rayon::ThreadPool;
use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule_stream::internal::{ProcessingMode, set_mode};
use schedule_stream::prelude::*;
use schedule_tests::child::Child;

use crate::callers::compute;
use schedule_tests::on::On;

const N_RUNS: usize = 20;

fn broadcast(pool: &ThreadPool) {
    let n_answers = pool.broadcast(|_| 1).iter().sum::<usize>();
    assert_eq!(n_answers, pool.current_num_threads());
}

#[test]
fn systems_may_broadcast_if_the_caller_is_outside_of_the_pool() {
    for on in [On::Threads(2), On::Threads(4), On::Timetabled(2)] {
        let case = || {
            let mut builder = Schedule::builder();
            for _ in 0..4 {
                let pool = on.pool();
                builder.add_closure("broadcasts", move || broadcast(&pool));
                builder.add_closure("computes", compute);
            }
            let mut schedule = builder.build().unwrap();
            on.set(&mut schedule);
            for _ in 0..N_RUNS {
                on.run(&mut schedule, &mut Resources::new()).unwrap();
            }
        };
        Child::new(case).label(format!("{on:?}")).run();
    }
}

#[test]
fn system_bound_to_a_calling_worker_may_broadcast() {
    for on in [On::Threads(2), On::Threads(4), On::Timetabled(2)] {
        let case = || {
            let mut builder = Schedule::builder();
            for _ in 0..4 {
                let pool = on.pool();
                let broadcasts = DynamicSystem::new("broadcasts", move |_| broadcast(&pool));
                builder.add_dynamic(broadcasts.on_main_thread());
                builder.add_closure("computes", compute);
            }
            let mut schedule = builder.build().unwrap();
            on.set(&mut schedule);
            on.pool().install(|| {
                for _ in 0..N_RUNS {
                    on.run(&mut schedule, &mut Resources::new()).unwrap();
                }
            });
        };
        Child::new(case).label(format!("{on:?}")).run();
    }
}

#[derive(Debug, Event)]
#[event(ask_all)]
struct AskAll(Arc<ThreadPool>);

/// Waits for every thread of the pool.
#[handler]
fn ask_all(event: &AskAll) {
    broadcast(&event.0);
}

#[test]
fn handlers_may_broadcast_if_the_caller_is_outside_of_the_pool() {
    for processing in [
        ProcessingMode::Auto,
        ProcessingMode::Serial,
        ProcessingMode::Parallel,
        ProcessingMode::Lanes,
        ProcessingMode::Queues,
        ProcessingMode::Tickets,
    ] {
        let case = || {
            let pool = On::Threads(4).pool();
            let mut stream = Stream::new();
            set_mode(&mut stream, processing);
            stream.set_pool(Arc::clone(&pool));
            let events = (0..200).map(|_| AskAll(Arc::clone(&pool)));
            let outcomes = |outcome: Outcome<AskAll>| assert!(outcome.is_applied());
            stream
                .process(&mut Resources::new(), events, outcomes)
                .unwrap();
        };
        Child::new(case).label(format!("{processing:?}")).run();
    }
}
